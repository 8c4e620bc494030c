// The ranking page as fastify with better-sqlite3 serves it from the same database: one statement
// for the rows, one for their number, both prepared once, and a reply with a schema.
//
//     node fastify.js DATABASE
"use strict";

const fastify = require("fastify")();
const database = require("better-sqlite3")(process.argv[2], { readonly: true });

const page = database.prepare(`
  SELECT recipe, tokens_per_s_per_gpu, usd_per_million_tokens, gpus, tp, pp, dp, mfu,
         step_time_cv_percent, measured, author, status, highlights
  FROM recipes JOIN recipe_texts ON recipe_texts.id = recipes.id
  WHERE model = ? AND gpu = ? ORDER BY tokens_per_s_per_gpu DESC, measured DESC, recipe LIMIT ?`);
const total = database.prepare("SELECT count(*) AS total FROM recipes WHERE model = ? AND gpu = ?");

fastify.get("/models/:model/:gpu", (request) => {
  const { model, gpu } = request.params;
  return {
    model,
    gpu,
    total: total.get(model, gpu).total,
    recipes: page.all(model, gpu, Number(request.query.limit || 50)),
  };
});

fastify.listen({ host: "127.0.0.1", port: 0 }).then((address) => {
  console.log(`listening on ${address}`);
});
