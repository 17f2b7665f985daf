// A game of one move: eight dice are thrown, and the state that all pages get has their faces.
exports.game = {
    name: "dice",
    setup: () => ({ faces: [], rolls: 0 }),
    moves: {
        roll: {
            move: ({ G, random }) => {
                G.faces = random.D6(8);
                G.rolls += 1;
            },
            client: false,
        },
    },
};
