// Four pages a match, the first of which throws: node players.js '{"port": …, "tables": …, "commands": …}'
const { Client } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");
const { game } = require("./game.js");

const PAGES = ["0", "1", null, null];
const { port, tables, commands } = JSON.parse(process.argv[2]);

// A page, and a wait until it has so many throws.
function page(matchID, playerID) {
    const multiplayer = SocketIO({
        server: `http://127.0.0.1:${port}`,
        socketOpts: { transports: ["websocket"] },
    });
    const client = Client({ game, playerID, matchID, debug: false, multiplayer });
    let [rolls, wanted, resume] = [-1, 0, () => {}];
    client.subscribe((state) => {
        rolls = state ? state.G.rolls : -1;
        if (rolls >= wanted) resume();
    });
    client.start();
    const until = (many) =>
        new Promise((resolve) => {
            [wanted, resume] = [many, resolve];
            if (rolls >= many) resolve();
        });
    return { client, until };
}

async function play(pages) {
    for (let at = 1; at <= commands; at += 1) {
        pages[0].client.moves.roll();
        await Promise.all(pages.map((each) => each.until(at)));
    }
}

async function main() {
    const matches = [];
    for (let at = 0; at < tables; at += 1) {
        const pages = PAGES.map((player) => page(`bench${at}`, player));
        await Promise.all(pages.map((each) => each.until(0)));
        matches.push(pages);
    }
    console.log("{}");
    process.stdin.once("data", async () => {
        await Promise.all(matches.map(play));
        console.log("{}");
    });
    process.stdin.on("end", () => process.exit(0));
}

main();
