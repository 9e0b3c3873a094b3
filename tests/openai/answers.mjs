// Starts Prism in front of a stand-in for OpenAI. Prism refuses requests and responses that violate OpenAI's own
// document.
//
//   node answers.mjs
//
// When both listen, prints Prism's address, and an address that returns the number of requests per path. Runs until its
// standard input is closed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import zlib from "node:zlib";

/** Returns a PNG of this size with rings to color. */
function rings(width, height) {
  const rows = Buffer.alloc((width + 1) * height, 255);
  for (let y = 0; y < height; y++) {
    rows[y * (width + 1)] = 0;
    for (let x = 0; x < width; x++) {
      const distance = Math.hypot(x - width / 2, y - height / 2);
      if (distance < Math.min(width, height) * 0.45 && distance % 80 < 8) rows[y * (width + 1) + 1 + x] = 0;
    }
  }
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length);
    frame.writeUInt32BE(zlib.crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits of gray
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature, chunk("IHDR", header), chunk("IDAT", zlib.deflateSync(rows)), chunk("IEND", Buffer.alloc(0)),
  ]);
}

function image({ size }) {
  const [width, height] = size.split("x").map(Number);
  return { created: 1, output_format: "png", data: [{ b64_json: rings(width, height).toString("base64") }] };
}

/** Returns a plan with the number of pages that the prompt requests. */
function completion({ model, messages }) {
  const count = Number(messages[1].content.match(/exactly (\d+)/)[1]);
  const pages = Array.from({ length: count }, (_, index) => ({
    title: `Rings ${index + 1}`, prompt: `${index + 1} rings`, caption: "Round and round",
  }));
  const plan = { title: "Rings", subtitle: "", description: "Rings to color", cover_prompt: "Rings", language: "en", pages };
  const message = { role: "assistant", content: JSON.stringify(plan), refusal: null };
  return {
    id: "chatcmpl-1", object: "chat.completion", created: 1, model,
    choices: [{ index: 0, finish_reason: "stop", logprobs: null, message }],
  };
}

const answers = {
  "/v1/chat/completions": completion,
  "/v1/images/edits": image,
  "/v1/images/generations": image,
};

const answered = Object.fromEntries(Object.keys(answers).map((path) => [path, 0]));

const server = http.createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (request.method === "GET") {
    response.end(JSON.stringify(answered));
    return;
  }
  answered[request.url] += 1;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(answers[request.url](JSON.parse(body))));
});

/** Listens on a free port; returns it. */
async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

const upstream = `http://127.0.0.1:${await listen(server)}`;
// Prism does not print the port it chose, so a free one is found first.
const other = http.createServer();
const port = await listen(other);
await new Promise((resolve) => other.close(resolve));
const prism = spawn(
  "node_modules/.bin/prism",
  ["proxy", "openapi.json", `${upstream}/v1`, "--errors", "--host", "127.0.0.1", "--port", `${port}`],
  { stdio: ["ignore", "pipe", "inherit"] },
);
process.once("exit", () => prism.kill());
prism.once("exit", () => process.exit(1));
process.stdin.once("end", () => process.exit()).resume();
prism.stdout.on("data", (text) => {
  process.stderr.write(text);
  if (String(text).includes("Prism is listening")) console.log(`http://127.0.0.1:${port} ${upstream}`);
});
