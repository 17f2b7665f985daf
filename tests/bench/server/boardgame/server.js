// boardgame.io's server with its store in memory, on any port; it ends when its input does.
const { Origins, Server } = require("boardgame.io/server");
const { game } = require("./game.js");

Server({ games: [game], origins: [Origins.LOCALHOST] })
    .run({ port: 0 })
    .then(({ appServer }) => console.log(JSON.stringify({ port: appServer.address().port })));
process.stdin.resume().on("end", () => process.exit(0));
