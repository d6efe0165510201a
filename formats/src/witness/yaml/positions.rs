//! Where the values of a YAML text stand.
//!
//! Values are named by JSON pointers (`/0/content/2`), the way a schema validator names them.

use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::fmt;

/// The places of all values of a text.
#[derive(Debug)]
pub struct Positions {
    root: Option<Spanned<Tree>>,
}

/// A value without its scalars.
#[derive(Debug)]
enum Tree {
    Scalar,
    Sequence(Vec<Spanned<Tree>>),
    Mapping(IndexMap<String, Spanned<Tree>>),
}

impl Positions {
    /// Looks for the values of a text; a text that is no YAML has none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { root: serde_saphyr::from_str(text).ok() }
    }

    /// Line and column of a value, or of the innermost one around it that exists.
    #[must_use]
    pub fn place(&self, pointer: &str) -> (usize, usize) {
        let Some(mut value) = self.root.as_ref() else { return (1, 1) };
        for part in pointer.split('/').skip(1) {
            let inner = match &value.value {
                Tree::Scalar => None,
                Tree::Sequence(items) => part.parse::<usize>().ok().and_then(|number| items.get(number)),
                Tree::Mapping(entries) => entries.get(&part.replace("~1", "/").replace("~0", "~")),
            };
            let Some(inner) = inner else { break };
            value = inner;
        }
        let place = value.referenced;
        (usize::try_from(place.line()).unwrap_or(1), usize::try_from(place.column()).unwrap_or(1))
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Tree::Sequence(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut all = IndexMap::new();
        while let Some((key, value)) = entries.next_entry()? {
            all.insert(key, value);
        }
        Ok(Tree::Mapping(all))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_str<E>(self, _: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_values() {
        let positions = Positions::of("- a: 1\n  b/c:\n  - x\n  - {y: ~, z: 2.5}\n- true\n");
        for (pointer, place) in [
            ("", (1, 1)),
            ("/0/a", (1, 6)),
            ("/0/b~1c/1", (4, 5)),
            ("/0/b~1c/1/z", (4, 15)),
            ("/0/b~1c/1/none/0", (4, 5)),
            ("/1", (5, 3)),
        ] {
            assert_eq!(positions.place(pointer), place, "{pointer}");
        }
        assert_eq!(Positions::of("- {").place("/0"), (1, 1));
    }
}
