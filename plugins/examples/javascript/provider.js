// An image provider that draws a quilt of panels with a shape in each.
import { get } from "linepress:host/config@0.1.0";
import { write } from "linepress:host/log@0.1.0";

// Half the width of a line in pixels. Young children need thick lines.
const PEN = { toddler: 5, child: 4, teen: 3, adult: 2 };

export const provider = {
  describe() {
    return {
      id: "acme.quilt",
      name: "Quilt",
      version: "0.1.0",
      aspects: ["square", "portrait", "landscape"],
      maxReferences: 0,
      extra: [],
    };
  },

  draw(request) {
    const columns = columnsOf(get());
    const page = new Page(request.size.width, request.size.height, PEN[request.audience]);
    // The same request gives the same drawing. A different seed gives a different one.
    const words = new TextEncoder().encode(request.prompt);
    const dice = new Dice(request.seed ^ BigInt(crc32(words)));
    quilt(page, columns, dice);
    write("debug", `a quilt of ${columns} columns`);
    return { image: { mediaType: "image/png", bytes: page.png() }, extra: [["model", "quilt"]] };
  },
};

// Reads the only setting, which config.json documents. The exception becomes the `draw-error` of the contract.
function columnsOf(settings) {
  const { columns = 4 } = JSON.parse(settings);
  if (!Number.isInteger(columns) || columns < 2 || columns > 8) {
    throw { tag: "unavailable", val: "the setting columns must be 2 to 8" };
  }
  return columns;
}

function quilt(page, columns, dice) {
  const side = Math.floor(page.width / columns);
  const rows = Math.floor(page.height / side);
  const left = Math.floor((page.width - columns * side) / 2);
  const top = Math.floor((page.height - rows * side) / 2);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = left + column * side + Math.floor(side / 2);
      const y = top + row * side + Math.floor(side / 2);
      outline(page, x, y, Math.floor(side / 2), square);
      const shape = dice.roll(3);
      const [outer, inner] = [[circle, circle], [diamond, circle], [circle, diamond]][shape];
      outline(page, x, y, Math.floor((side * 2) / 5), outer);
      outline(page, x, y, Math.floor(side / 5), inner);
    }
  }
}

const square = (dy, size) => size;
const diamond = (dy, size) => size - Math.abs(dy);
const circle = (dy, size) => Math.floor(Math.sqrt(size * size - dy * dy));

// Fills the area between a shape and a slightly smaller copy of it.
function outline(page, x, y, size, halfWidth) {
  const outer = size + page.pen;
  const inner = size - page.pen;
  for (let dy = -outer; dy <= outer; dy++) {
    const far = halfWidth(dy, outer);
    const near = Math.abs(dy) < inner ? halfWidth(dy, inner) : 0;
    page.ink(x - far, x - near, y + dy);
    page.ink(x + near, x + far, y + dy);
  }
}

// A white page with one bit per pixel. A set bit is white.
class Page {
  constructor(width, height, pen) {
    Object.assign(this, { width, height, pen, stride: Math.ceil(width / 8) });
    this.bits = new Uint8Array(this.stride * height).fill(0xff);
  }

  ink(left, right, y) {
    if (y < 0 || y >= this.height) return;
    for (let x = Math.max(left, 0); x < Math.min(right, this.width); x++) {
      this.bits[y * this.stride + (x >> 3)] &= ~(0x80 >> (x & 7));
    }
  }

  png() {
    const header = new Uint8Array(13);
    const view = new DataView(header.buffer);
    view.setUint32(0, this.width);
    view.setUint32(4, this.height);
    view.setUint8(8, 1); // one bit per pixel, grayscale
    const rows = new Uint8Array((this.stride + 1) * this.height);
    for (let y = 0; y < this.height; y++) {
      const row = this.bits.subarray(y * this.stride, (y + 1) * this.stride);
      rows.set(row, y * (this.stride + 1) + 1);
    }
    const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
    return joined([signature, chunk("IHDR", header), chunk("IDAT", stored(rows)), chunk("IEND", new Uint8Array(0))]);
  }
}

function chunk(kind, data) {
  const body = joined([new TextEncoder().encode(kind), data]);
  return joined([uint32(data.length), body, uint32(crc32(body))]);
}

// Wraps data in zlib's format without compression, because the server compresses stored drawings.
function stored(data) {
  const most = 65535;
  const parts = [Uint8Array.of(0x78, 0x01)];
  for (let start = 0; start < data.length; start += most) {
    const part = data.subarray(start, start + most);
    const last = start + most >= data.length ? 1 : 0;
    const length = part.length;
    parts.push(Uint8Array.of(last, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255), part);
  }
  return joined([...parts, uint32(adler32(data))]);
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const uint32 = (number) => Uint8Array.of(number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255);

function crc32(data) {
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function adler32(data) {
  let [a, b] = [1, 0];
  for (const byte of data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}

// A pseudorandom number generator (splitmix64). The same seed gives the same numbers.
class Dice {
  constructor(seed) {
    this.state = seed;
  }

  roll(sides) {
    const wrapped = (number) => BigInt.asUintN(64, number);
    this.state = wrapped(this.state + 0x9e3779b97f4a7c15n);
    let mixed = this.state;
    mixed = wrapped((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = wrapped((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return Number((mixed ^ (mixed >> 31n)) % BigInt(sides));
  }
}
