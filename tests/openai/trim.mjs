// Writes openapi.json: what Prism needs of OpenAI's own OpenAPI document to check the requests that our plugins send.
//
//   node trim.mjs OPENAPI.JSON VERSION
//
// OPENAPI.JSON is the file of that name in https://github.com/openai/openai-openapi, VERSION the commit it is of. Whole, it
// takes Prism minutes to read; and with `nullable`, which OpenAPI 3.1 does not know, Prism accepts any request.
import fs from "node:fs";

const PATHS = ["/chat/completions", "/images/edits", "/images/generations"];

const [source, version] = process.argv.slice(2);
const whole = JSON.parse(fs.readFileSync(source, "utf8"));

/** What only a reader needs, and what Prism stumbles over. */
const isLeftOut = (key) =>
  key.startsWith("x-") || ["nullable", "tags", "example", "examples", "description", "title", "deprecated"].includes(key);

/** A copy without what is left out. The names of properties are no keywords. */
function trimmed(value, isNames = false) {
  if (Array.isArray(value)) return value.map((item) => trimmed(item));
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !isLeftOut(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, trimmed(inner, !isNames && key === "properties")]));
}

function at(reference) {
  return reference.slice(2).split("/").reduce((node, name) => node[name.replaceAll("~1", "/").replaceAll("~0", "~")], whole);
}

const components = {};

/** Keeps every component that this value needs. */
function follow(value) {
  if (value === null || typeof value !== "object") return;
  if (typeof value.$ref === "string") {
    const [, , kind, name] = value.$ref.split("/");
    if (!components[kind]?.[name]) {
      components[kind] = { ...components[kind], [name]: trimmed(at(value.$ref)) };
      follow(components[kind][name]);
    }
  }
  Object.values(value).forEach(follow);
}

const paths = Object.fromEntries(PATHS.map((path) => [path, { post: trimmed(whole.paths[path].post) }]));
follow(paths);
const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
const document = {
  openapi: whole.openapi,
  info: {
    title: "OpenAI API, trimmed",
    description: `Part of openapi.json in https://github.com/openai/openai-openapi at ${version}, by tests/openai/trim.mjs.`,
    version: whole.info.version,
    license: whole.info.license,
  },
  servers: whole.servers,
  paths,
  components: Object.fromEntries(Object.entries(components).map(([kind, named]) => [kind, sorted(named)])),
};
fs.writeFileSync(new URL("openapi.json", import.meta.url), `${JSON.stringify(document, null, 1)}\n`);
