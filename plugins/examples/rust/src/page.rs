//! A page with black lines on white, and its encoding as PNG.

/// A white page with one bit per pixel. A set bit is white.
pub struct Page {
    width: i32,
    height: i32,
    pen: i32,
    stride: usize,
    bits: Vec<u8>,
}

/// Returns half the width of a shape at a vertical distance from its center. The arguments are the distance and the
/// size.
type HalfWidth = fn(i32, i32) -> i32;

fn square(_: i32, size: i32) -> i32 {
    size
}

fn diamond(dy: i32, size: i32) -> i32 {
    size - dy.abs()
}

fn circle(dy: i32, size: i32) -> i32 {
    f64::from(size * size - dy * dy).sqrt() as i32
}

impl Page {
    /// Creates a white page. `pen` is half the width of a line in pixels.
    pub fn new(width: u32, height: u32, pen: i32) -> Self {
        let stride = width.div_ceil(8) as usize;
        Self {
            width: width as i32,
            height: height as i32,
            pen,
            stride,
            bits: vec![0xff; stride * height as usize],
        }
    }

    pub fn quilt(&mut self, columns: i32, dice: &mut Dice) {
        let side = self.width / columns;
        let rows = self.height / side;
        let (left, top) = ((self.width - columns * side) / 2, (self.height - rows * side) / 2);
        for row in 0..rows {
            for column in 0..columns {
                let (x, y) = (left + column * side + side / 2, top + row * side + side / 2);
                let shapes: [HalfWidth; 2] = match dice.roll(3) {
                    0 => [circle, circle],
                    1 => [diamond, circle],
                    _ => [circle, diamond],
                };
                self.outline(x, y, side / 2, square);
                self.outline(x, y, side * 2 / 5, shapes[0]);
                self.outline(x, y, side / 5, shapes[1]);
            }
        }
    }

    /// Fills the area between a shape and a slightly smaller copy of it.
    fn outline(&mut self, x: i32, y: i32, size: i32, half_width: HalfWidth) {
        let (outer, inner) = (size + self.pen, size - self.pen);
        for dy in -outer..=outer {
            let far = half_width(dy, outer);
            let near = if dy.abs() < inner { half_width(dy, inner) } else { 0 };
            self.ink(x - far, x - near, y + dy);
            self.ink(x + near, x + far, y + dy);
        }
    }

    fn ink(&mut self, left: i32, right: i32, y: i32) {
        if !(0..self.height).contains(&y) {
            return;
        }
        for x in left.max(0)..right.min(self.width) {
            self.bits[y as usize * self.stride + x as usize / 8] &= !(0x80 >> (x % 8));
        }
    }

    /// Encodes the page as PNG with one bit per pixel, without compression, because the server compresses stored
    /// drawings.
    pub fn png(&self) -> Vec<u8> {
        let rows: Vec<u8> = self
            .bits
            .chunks_exact(self.stride)
            .flat_map(|row| [&[0], row].concat())
            .collect();
        let (width, height) = (self.width.to_be_bytes(), self.height.to_be_bytes());
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut file, b"IHDR", &[&width[..], &height, &[1, 0, 0, 0, 0]].concat());
        chunk(&mut file, b"IDAT", &stored(&rows));
        chunk(&mut file, b"IEND", &[]);
        file
    }
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let body = [&kind[..], data].concat();
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(&body);
    file.extend(crc32(&body).to_be_bytes());
}

/// Wraps data in zlib's format without compression.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut file = vec![0x78, 0x01];
    let mut parts = data.chunks(65535).peekable();
    while let Some(part) = parts.next() {
        let length = part.len() as u16;
        file.push(u8::from(parts.peek().is_none()));
        file.extend(length.to_le_bytes());
        file.extend((!length).to_le_bytes());
        file.extend(part);
    }
    file.extend(adler32(data).to_be_bytes());
    file
}

pub fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc: u32, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

fn adler32(data: &[u8]) -> u32 {
    let (a, b) = data.iter().fold((1, 0), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (b + a) % 65521)
    });
    (b << 16) | a
}

/// A pseudorandom number generator (splitmix64). The same seed gives the same numbers.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}
