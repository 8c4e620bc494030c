// json-server over the recipes of a database, without their texts: it keeps all in memory and looks
// through them for each request.
//
//     node json_server.js DATABASE
"use strict";

const jsonServer = require("json-server");
const database = require("better-sqlite3")(process.argv[2], { readonly: true });

const recipes = database.prepare("SELECT * FROM recipes").all();
const server = jsonServer.create();
server.use(jsonServer.router({ recipes }));
const listener = server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${listener.address().port}`);
});
