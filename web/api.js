// Talking to the service: the address of a page with ".json" behind its path is the page's data.

// What went wrong: the service's own problem document, or status 0 where there was no answer.
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? "The service answered with an error.");
    this.status = status;
    this.document = document;
  }
}

// A query in the order and spelling of the address. A comma separates the values of a list, so it is never encoded.
export class Query {
  constructor(text) {
    this.items = text.replace(/^\?/, "").split("&").filter(Boolean).map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    });
  }

  get(name) {
    const item = this.items.find(([key]) => key === name);
    if (!item) return null;
    try {
      return decodeURIComponent(item[1].replaceAll("+", " "));
    } catch {
      return item[1];
    }
  }

  // Null or "" takes it out.
  set(name, value) {
    this.items = this.items.filter(([key]) => key !== name);
    if (value !== null && value !== undefined && value !== "") {
      const raw = encodeURIComponent(value).replace(/%(2C|3A|2F)/g, decodeURIComponent);
      this.items.push([name, raw]);
    }
    return this;
  }

  toString() {
    return this.items.length ? `?${this.items.map(([name, raw]) => `${name}=${raw}`).join("&")}` : "";
  }
}

// The address of a page's data, as JSON or in another form.
export function dataAddress(path, query = "", form = "json") {
  const [plain, own] = path.split("?");
  return `${plain === "/" ? "/models" : plain.replace(/\.html$/, "")}.${form}${own ? `?${own}` : query}`;
}

async function read(reply) {
  const type = reply.headers.get("Content-Type") ?? "";
  if (/json/.test(type)) return reply.json();
  return {title: `The service answered with status ${reply.status}.`};
}

// Ask for JSON at an address; throws a Problem, or an AbortError when the signal says so.
export async function getJson(address, options = {}) {
  let reply;
  let body;
  try {
    reply = await fetch(address, options);
    body = await read(reply);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, {title: "The service does not answer", detail: "The service does not answer, or the network is down."});
  }
  if (!reply.ok) throw new Problem(reply.status, body);
  return body;
}

// Prices of one's own, as the parameter has them: "h100:2.10,b200:4.50".
export function readPrices(query) {
  const prices = new Map();
  for (const part of (query.get("price") ?? "").split(",").filter(Boolean)) {
    const [gpu, value] = part.split(":");
    prices.set(gpu, value ?? "");
  }
  return prices;
}

export function writePrices(query, prices) {
  return query.set("price", [...prices].map(([gpu, value]) => `${gpu}:${value}`).join(","));
}
