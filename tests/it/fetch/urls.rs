//! URLs that must be refused without connecting.

/// One address of each special-purpose block.
pub(super) const SPECIAL_V4: [[u8; 4]; 18] = [
    [0, 0, 0, 0],
    [10, 0, 0, 1],
    [100, 64, 0, 1],
    [127, 0, 0, 1],
    [127, 1, 2, 3],
    [169, 254, 169, 254],
    [172, 16, 0, 1],
    [192, 0, 0, 192],
    [192, 0, 2, 1],
    [192, 88, 99, 1],
    [192, 168, 1, 1],
    [198, 18, 0, 1],
    [198, 51, 100, 1],
    [203, 0, 113, 1],
    [224, 0, 0, 251],
    [239, 255, 255, 250],
    [240, 0, 0, 1],
    [255, 255, 255, 255],
];

pub(super) const SPECIAL_V6: [&str; 16] = [
    "::",
    "::1",
    "0:0:0:0:0:0:0:1",
    "0000:0000::0001",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "FC00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "ffff::1",
];

/// Every special address in every spelling.
pub(super) fn literals() -> Vec<String> {
    let four = SPECIAL_V4.into_iter().flat_map(spellings);
    let six = SPECIAL_V6.map(|address| format!("[{address}]"));
    four.chain(six).map(|host| format!("https://{host}/cat.png")).collect()
}

/// URLs with misleading parts, and URLs that are not valid for pictures.
pub(super) fn tricks(port: u16) -> Vec<String> {
    let mut urls = [
        // The visible host is not the host that is contacted.
        "https://pictures.test@127.0.0.1/",
        "https://pictures.test:443@127.0.0.1/",
        "https://pictures.test%40127.0.0.1/",
        "https://127.0.0.1\\@pictures.test/",
        "https://127.0.0.1/\\@pictures.test/",
        "https://127.0.0.1#@pictures.test/",
        "https://127.0.0.1?@pictures.test/",
        "https://user@pictures.test/",
        "https://user:@pictures.test/",
        "https://:password@pictures.test/",
        "https://user:password@pictures.test/",
        "https://us%65r@pictures.test/",
        "https://a@b@pictures.test/",
        "https:\\\\127.0.0.1\\cat.png",
        "https:127.0.0.1/",
        "https:/127.0.0.1/",
        "https:////127.0.0.1/",
        "  https://127.0.0.1/  ",
        "ht\ntps://127.0.\t0.1/",
        // Ports other than 443.
        "https://pictures.test:0/",
        "https://pictures.test:22/",
        "https://pictures.test:80/",
        "https://pictures.test:8443/",
        "https://pictures.test:65535/",
        "https://pictures.test:65536/",
        "https://pictures.test:-1/",
        "https://pictures.test:443:80/",
        "https://127.0.0.1:443/",
        "https://[::1]:443/",
        // Schemes other than https.
        "http://pictures.test/cat.png",
        "HTTP://pictures.test/cat.png",
        "ftp://pictures.test/cat.png",
        "file:///etc/passwd",
        "file://pictures.test/etc/passwd",
        "gopher://127.0.0.1/_GET",
        "dict://127.0.0.1/",
        "ldap://127.0.0.1/",
        "ws://pictures.test/",
        "wss://pictures.test/",
        "unix:/run/docker.sock",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "blob:https://pictures.test/cat.png",
        "view-source:https://pictures.test/",
        "jar:https://pictures.test/a.jar!/cat.png",
        "about:blank",
        "httpss://pictures.test/",
        "https+unix://pictures.test/",
        // Incomplete URLs.
        "",
        " ",
        "cat.png",
        "/cat.png",
        "//pictures.test/cat.png",
        "pictures.test/cat.png",
        "https",
        "https:",
        "https://",
        "https://?",
        "https://#",
        "https:///",
        "https://:443/",
        "https://[/",
        "https://[]/",
        "https://[::1/",
        "https://[::1%25lo]/",
        "https://[fe80::1%25eth0]/",
        "https://[::ffff:127.0.0.1.]/",
        "https://[127.0.0.1]/",
        "https://[v1.a]/",
        "https://1.2.3.4.5/",
        "https://256.256.256.256/",
        "https://0x1ffffffff/",
        "https://127.0.0.0x/",
        "https://a b/",
        "https://a%00b/",
        "https://a%2fb/",
        "https://a<b/",
        "https://xn--a/",
    ]
    .map(str::to_owned)
    .to_vec();
    urls.push(format!("https://127.0.0.1:{port}/"));
    urls.push(format!("https://[::1]:{port}/"));
    urls.push(format!("https://pictures.test:{port}/"));
    urls.push(format!("https://pictures.test/{}", "a".repeat(3000)));
    urls
}

/// Every notation that some library accepts as this IPv4 address, alone and within an IPv6 address.
fn spellings([a, b, c, d]: [u8; 4]) -> [String; 20] {
    let number = u32::from_be_bytes([a, b, c, d]);
    let (high, low) = (number >> 16, number & 0xffff);
    let wide = |text: String| -> String {
        let wide = |letter: char| char::from_u32(u32::from(letter) + 0xfee0).unwrap();
        text.chars()
            .map(|letter| if letter == '.' { '。' } else { wide(letter) })
            .collect()
    };
    let escaped = |text: String| text.bytes().map(|byte| format!("%{byte:02x}")).collect();
    [
        format!("{a}.{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        format!("{a}.{b}.{}", u16::from_be_bytes([c, d])),
        format!("{a}.{}", number & 0xff_ffff),
        format!("{number}"),
        format!("0x{number:x}"),
        format!("0X{number:08X}"),
        format!("0{number:o}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("000{a:o}.{b}.0x{c:x}.{d}"),
        wide(format!("{a}.{b}.{c}.{d}")),
        escaped(format!("{a}.{b}.{c}.{d}")),
        format!("[::ffff:{a}.{b}.{c}.{d}]"),
        format!("[0:0:0:0:0:FFFF:{high:x}:{low:x}]"),
        format!("[::{a}.{b}.{c}.{d}]"),
        format!("[64:ff9b::{a}.{b}.{c}.{d}]"),
        format!("[64:ff9b:1::{a}.{b}.{c}.{d}]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        // Teredo hides the client's address by inverting its bits (RFC 4380).
        format!("[2001:0:808:808:0:0:{:x}:{:x}]", high ^ 0xffff, low ^ 0xffff),
    ]
}
