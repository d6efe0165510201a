//! How the text of a program names the scalars of its objects: `.f`, `[3].g`.
//!
//! Does not know names of variables, nor of what is in memory that has no name.

use std::cell::RefCell;

use program::cfa::Cfa;
use program::types::{Type, TypeId};

use super::shape::{Kind, Scalar, Shapes};

/// The names of scalars in objects of a program.
#[derive(Debug)]
pub struct ScalarNames<'p> {
    cfa: &'p Cfa,
    shapes: RefCell<Shapes>,
}

impl<'p> ScalarNames<'p> {
    /// Those of a program.
    #[must_use]
    pub fn new(cfa: &'p Cfa) -> Self {
        Self { cfa, shapes: RefCell::default() }
    }

    /// What follows the name of an object of a type for the scalar that is its leaf of a number, and the type of the scalar: of an
    /// enumeration the integer type that it is. `None` for bit-fields, for members of unions, which share their bits, for
    /// elements of long arrays, and for what may change by itself.
    #[must_use]
    pub fn of(&self, ty: TypeId, leaf: u32) -> Option<(String, TypeId)> {
        let (mut shapes, cfa) = (self.shapes.borrow_mut(), self.cfa);
        let (mut id, mut left, mut path) = (shapes.of(cfa, ty), leaf, String::new());
        loop {
            let shape = shapes.get(id);
            match &shape.kind {
                Kind::Scalar => {
                    let is_whole = left == 0 && Scalar::of(cfa, shape.ty).is_some_and(|scalar| scalar.stored == shape.leaf_width);
                    return is_whole.then(|| (path, underlying(cfa, shape.ty)));
                }
                Kind::Record(fields) => {
                    let number =
                        fields.iter().rposition(|field| field.first_leaf <= left && shapes.get(field.shape).leaves > 0)?;
                    let Type::Record(record) = cfa.types.get(shape.ty) else { return None };
                    let member = cfa.types.record(*record).fields.get(number)?;
                    if member.ty.qualifiers.is_volatile || member.ty.qualifiers.is_atomic {
                        return None;
                    }
                    match &member.name {
                        Some(name) => path.push_str(&format!(".{name}")),
                        // Members of a record without a name are named as if they were of the one around it.
                        None if matches!(shapes.get(fields[number].shape).kind, Kind::Record(_)) => {}
                        None => return None,
                    }
                    (id, left) = (fields[number].shape, left - fields[number].first_leaf);
                }
                Kind::Fixed { element, .. } => {
                    let Type::Array { element: each, .. } = cfa.types.get(shape.ty) else { return None };
                    if each.qualifiers.is_volatile || each.qualifiers.is_atomic {
                        return None;
                    }
                    let each = shapes.get(*element).leaves.max(1);
                    path.push_str(&format!("[{}]", left / each));
                    (id, left) = (*element, left % each);
                }
                Kind::Union(_) | Kind::Array { .. } | Kind::Opaque => return None,
            }
        }
    }
}

fn underlying(cfa: &Cfa, ty: TypeId) -> TypeId {
    match cfa.types.get(ty) {
        Type::Enum(id) => underlying(cfa, cfa.types.enumeration(*id).underlying),
        Type::Void
        | Type::Bool
        | Type::Int { .. }
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Pointer(_)
        | Type::Array { .. }
        | Type::Function(_)
        | Type::Record(_)
        | Type::Vector { .. }
        | Type::VaList => ty,
    }
}
