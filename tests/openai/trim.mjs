// Writes openapi.json: the part of OpenAI's OpenAPI document that Prism needs to check the requests of our plugins.
//
//   node trim.mjs OPENAPI.JSON VERSION
//
// OPENAPI.JSON is the file of that name in https://github.com/openai/openai-openapi, and VERSION its commit. Prism
// takes minutes to read the whole file, and accepts any request if a schema contains `nullable`, which OpenAPI 3.1 removed.
import fs from "node:fs";

const PATHS = ["/chat/completions", "/images/edits", "/images/generations"];

const [source, version] = process.argv.slice(2);
const whole = JSON.parse(fs.readFileSync(source, "utf8"));

/** Reports whether a key is documentation only, or misleads Prism. */
const isLeftOut = (key) =>
  key.startsWith("x-") || ["nullable", "tags", "example", "examples", "description", "title", "deprecated"].includes(key);

/** Returns a copy without these keys. The names of properties are not keywords. */
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

/** Adds every component to which this value refers. */
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
