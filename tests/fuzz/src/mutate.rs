//! Edits of a text by tokens, as bytes choose them: most of what comes out is still nearly WGSL.

use arbitrary::Unstructured;

use super::seeds;

/// Numbers at which things end.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "0u",
    "1u",
    "2u",
    "7u",
    "31u",
    "32u",
    "33u",
    "63",
    "64",
    "255u",
    "256",
    "1023u",
    "1024u",
    "1025u",
    "65535u",
    "65536u",
    "2147483647",
    "-2147483648",
    "2147483648u",
    "4294967295u",
    "-1",
    "0.0",
    "1.0",
    "-1.0",
    "0.5",
    "1e30",
    "3.4e38",
    "1e-40",
    "0.5h",
    "65504h",
    "1lu",
    "18446744073709551615lu",
];
/// What may stand for another of its kind.
const KINDS: &[&[&str]] = &[
    &["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||"],
    &["<", "==", ">", "!=", ">=", "<="],
    &["=", "+=", "-=", "*=", "/=", "%=", "|=", "^=", "<<=", ">>="],
    &["f32", "u32", "i32", "f16", "bool", "u64", "i64", "f64", "vec2f", "vec3u", "vec4f", "mat3x3f", "atomic<u32>"],
    &["break", "continue", "return", "discard", "workgroupBarrier()", "storageBarrier()", "subgroupBarrier()", "{ }"],
    &["workgroup", "private", "function", "storage", "uniform", "read", "read_write", "write"],
    &["if", "while", "for", "loop", "switch", "else", "continuing", "break if"],
    &[
        "min", "max", "abs", "dot", "cross", "sqrt", "fract", "exp", "log", "sin", "pow", "select", "clamp", "sign",
        "ceil",
    ],
    &["subgroupAdd", "subgroupMax", "subgroupInclusiveAdd", "subgroupBroadcastFirst", "subgroupElect", "subgroupAll"],
    &["atomicAdd", "atomicMax", "atomicExchange", "atomicSub", "atomicAnd", "atomicXor", "atomicOr", "atomicMin"],
    &[
        "countOneBits",
        "reverseBits",
        "firstLeadingBit",
        "firstTrailingBit",
        "unpack4xU8",
        "pack4x8unorm",
        "bitcast<f32>",
    ],
    &["global_invocation_id", "local_invocation_id", "local_invocation_index", "workgroup_id", "num_workgroups"],
    &["subgroup_size", "subgroup_invocation_id", "subgroup_id", "num_subgroups", "position", "vertex_index"],
];

/// The pieces of a text: words, numbers, blanks, and all else sign by sign.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' || c == '.' => 0,
        _ if c.is_whitespace() => 1,
        '<' | '>' | '=' | '&' | '|' | '+' | '-' | '!' | '*' | '/' | '%' | '^' => 2,
        _ => 3,
    };
    let mut last = 3;
    for c in text.chars() {
        let own = class(c);
        match tokens.last_mut() {
            Some(token) if own == last && own != 3 => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = own;
    }
    tokens
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The text after up to eight edits; where the bytes end, so do the edits.
pub(crate) fn mutate(text: &str, bytes: &[u8]) -> String {
    let mut u = Unstructured::new(bytes);
    let mut tokens = tokens(text);
    for _ in 0..8 {
        if u.is_empty() || edit(&mut tokens, &mut u).is_err() {
            break;
        }
    }
    tokens.concat()
}

fn edit(tokens: &mut Vec<String>, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let solid: Vec<usize> = (0..tokens.len()).filter(|at| !tokens[*at].trim().is_empty()).collect();
    if solid.is_empty() {
        return Ok(());
    }
    let way: u8 = u.arbitrary()?;
    let at = solid[u.choose_index(solid.len())?];
    match way % 8 {
        // Another of its kind: mostly still valid.
        0..=3 => tokens[at] = alike(tokens, at, u)?,
        4 => {
            tokens.remove(at);
        }
        5 => {
            let other = solid[u.choose_index(solid.len())?];
            tokens.swap(at, other);
        }
        // A statement again, here or elsewhere.
        6 => {
            let lines = statements(tokens);
            if let (Some(line), Some(place)) = (pick(&lines, u)?, pick(&lines, u)?) {
                let copy = tokens[line.clone()].to_vec();
                tokens.splice(place.start..place.start, copy);
            }
        }
        // A statement of another kernel.
        _ => {
            let seeds = seeds();
            let other = self::tokens(&seeds[u.choose_index(seeds.len())?].text);
            let (own, others) = (statements(tokens), statements(&other));
            if let (Some(place), Some(line)) = (pick(&own, u)?, pick(&others, u)?) {
                tokens.splice(place, other[line].to_vec());
            }
        }
    }
    Ok(())
}

fn pick<T: Clone>(list: &[T], u: &mut Unstructured<'_>) -> arbitrary::Result<Option<T>> {
    Ok(if list.is_empty() { None } else { Some(list[u.choose_index(list.len())?].clone()) })
}

fn alike(tokens: &[String], at: usize, u: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    let token = tokens[at].as_str();
    if let Some(kind) = KINDS.iter().find(|kind| kind.contains(&token)) {
        return u.choose(kind).map(|other| (*other).to_owned());
    }
    if is_number(token) {
        return u.choose(NUMBERS).map(|other| (*other).to_owned());
    }
    let others: Vec<&String> = tokens.iter().filter(|other| is_word(other) == is_word(token)).collect();
    Ok(pick(&others, u)?.cloned().unwrap_or_default())
}

/// Where statements stand: from behind a sign that ends one to the next such sign.
fn statements(tokens: &[String]) -> Vec<std::ops::Range<usize>> {
    let ends: Vec<usize> = (0..tokens.len()).filter(|at| matches!(tokens[*at].as_str(), ";" | "{" | "}")).collect();
    ends.windows(2).map(|pair| pair[0] + 1..pair[1] + 1).collect()
}
