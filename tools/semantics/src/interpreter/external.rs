//! Functions without a body: what is known of them by name; the result of every other one is arbitrary.

use program::cfa::{FunctionId, Known, VarId};
use program::expr::{Expr, ExprId};
use program::known::{self, Results};
use program::types::Type;

use super::arithmetic::{sign_extend, truncate};
use super::evaluate::Value;
use super::fault::Fault;
use super::kind::Kind;
use super::machine::Machine;
use super::memory::{Area, Birth, Content, Handle, Zone};
use super::{Origin, Request, UndefinedKind, ValueRead, library};

/// Whether a function of the C library that works on memory is executed exactly.
#[must_use]
pub fn is_computed(name: &str) -> bool {
    known::special(name).is_some_and(|row| row.computed)
}

impl Machine<'_> {
    /// Calls a function without a body.
    pub(super) fn call_external(&mut self, callee: FunctionId, arguments: &[ExprId], result: Option<VarId>) -> Result<(), Fault> {
        let function = self.cfa.function(callee);
        let name = known::plain(&function.name);
        // A pointer that leads to no function is no call in a run.
        if function.known == Some(Known::Unsupported) || program::outside::is_outside(name) {
            return Err(Fault::Unsupported(format!("call of {}", function.name).into()));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match self.value(*argument)? {
                Value::Scalar(value) => values.push(value),
                Value::Bytes(_) => values.push(0),
            }
        }
        if matches!(function.known, None | Some(Known::Memory)) {
            self.locks.call(name, &values)?;
        }
        if let Some(value) = self.allocation(callee, name, &values)? {
            return self.give_result(result, value);
        }
        if let Some(value) = self.memory_function(callee, name, &values)? {
            return self.give_result(result, value);
        }
        let opaque = match function.known {
            Some(Known::Allocate) => true,
            Some(Known::Memory) => result.is_some(),
            Some(Known::Error | Known::NoReturn | Known::Input | Known::Free | Known::Pure | Known::Unsupported) | None => false,
        };
        if opaque {
            return Err(Fault::Unsupported(format!("call of {}", function.name).into()));
        }
        if function.known == Some(Known::Memory) {
            self.lose_arguments(arguments, &values);
            return Ok(());
        }
        let results = if function.known == Some(Known::Pure) { known::results(name) } else { Results::Any };
        let is_repeated = self.seeds.call(name);
        match (result, results) {
            (None, _) => Ok(()),
            (Some(variable), Results::Any) => {
                self.arbitrary_result(callee, variable, None)?;
                if self.is_standard(callee) { self.withhold(variable) } else { Ok(()) }
            }
            (Some(variable), Results::Somewhere) => {
                self.arbitrary_result(callee, variable, None)?;
                self.withhold(variable)
            }
            (Some(variable), Results::Between(low, high)) => {
                let bounds = known::results_of_success(name).unwrap_or((low, high));
                self.arbitrary_result(callee, variable, Some(bounds))?;
                if is_repeated { self.withhold(variable) } else { Ok(()) }
            }
            (Some(variable), Results::Computed) => self.computed_result(callee, name, arguments, &values, variable),
        }
    }

    fn give_result(&mut self, result: Option<VarId>, value: u128) -> Result<(), Fault> {
        match result {
            Some(result) => self.assign_variable(result, value),
            None => Ok(()),
        }
    }

    /// Whether the headers of the system declare a function of which nothing is known: it does not yield just any value.
    fn is_standard(&self, callee: FunctionId) -> bool {
        let function = self.cfa.function(callee);
        function.known.is_none() && self.cfa.source.location(function.span.lo).file.starts_with("/usr/include/")
    }

    /// A result that is not known, and not arbitrary either: nobody may look at it.
    pub(super) fn withhold(&mut self, variable: VarId) -> Result<(), Fault> {
        let handle = self.variable(variable)?;
        self.memory.make_opaque(handle);
        Ok(())
    }

    /// Whether an expression hands on, as it is, what nobody may look at.
    pub(super) fn is_withheld(&self, mut value: ExprId) -> bool {
        while let Expr::Cast(inner) = *self.cfa.exprs.get(value) {
            value = inner;
        }
        let Expr::Load(place) = *self.cfa.exprs.get(value) else { return false };
        let Expr::Variable(variable) = *self.cfa.exprs.get(place) else { return false };
        self.variable(variable).is_ok_and(|handle| self.memory.is_opaque(handle))
    }

    /// A result that nothing decides, or only within bounds.
    fn arbitrary_result(&mut self, callee: FunctionId, variable: VarId, bounds: Option<(i32, i32)>) -> Result<(), Fault> {
        let layout = self.layouts.get(self.cfa.variable(variable).ty.ty);
        let bits = match layout.kind {
            Kind::Int { boolean: true, .. } => 1,
            Kind::Int { bits, .. } => bits,
            Kind::F32 => 32,
            Kind::F64 => 64,
            Kind::Void => return Ok(()),
            Kind::Aggregate => {
                let handle = self.variable(variable)?;
                self.memory.forget(handle, self.step);
                return Ok(());
            }
            Kind::Unsupported(construct) => return Err(Fault::Unsupported(construct.into())),
        };
        let value = self.ask(Origin::External(callee), bits)?;
        let Some((low, high)) = bounds else { return self.assign_variable(variable, value) };
        let possible = sign_extend(value, bits).clamp(low.into(), high.into());
        let possible = truncate(possible.cast_unsigned(), bits);
        if let Some(read) = self.reads.last_mut() {
            read.value = possible;
        }
        self.assign_variable(variable, possible)
    }

    /// A result that the arguments decide; it is kept among the values read, for who cannot compute it.
    fn computed_result(
        &mut self,
        callee: FunctionId,
        name: &str,
        arguments: &[ExprId],
        values: &[u128],
        variable: VarId,
    ) -> Result<(), Fault> {
        let kind = self.layouts.get(self.cfa.variable(variable).ty.ty).kind;
        let mut given = Vec::with_capacity(arguments.len());
        for (argument, value) in arguments.iter().zip(values) {
            given.push((self.layouts.get(self.cfa.exprs.ty(*argument)).kind, *value));
        }
        let value = match (name, values) {
            ("atoi" | "atol" | "atoll", [text]) => {
                let text = self.string(low(*text), u64::MAX)?;
                library::integer(&text, kind)
            }
            _ => library::value(name, &given, kind).or_else(|| {
                let value = self.inputs.real(name, &library::reals(&given, kind)?)?;
                Some(library::bits(value, kind))
            }),
        };
        let Some(value) = value else { return self.withhold(variable) };
        let bits = match kind {
            Kind::Int { bits, .. } => bits,
            Kind::F32 => 32,
            Kind::F64 | Kind::Aggregate | Kind::Void | Kind::Unsupported(_) => 64,
        };
        let request = Request { origin: Origin::External(callee), bits, step: self.step };
        self.reads.push(ValueRead { request, value, decided: true, seen: true });
        self.assign_variable(variable, value)
    }

    /// After a function that writes where its arguments point, nobody knows what.
    fn lose_arguments(&mut self, arguments: &[ExprId], values: &[u128]) {
        for (argument, value) in arguments.iter().zip(values) {
            let Type::Pointer(to) = self.cfa.types.get(self.cfa.exprs.ty(*argument)) else { continue };
            if !to.qualifiers.is_const
                && let Some(handle) = self.memory.find(low(*value))
            {
                self.memory.make_opaque(handle);
            }
        }
    }

    /// `malloc` and its relatives; `None` for other functions.
    fn allocation(&mut self, callee: FunctionId, name: &str, values: &[u128]) -> Result<Option<u128>, Fault> {
        let (size, content) = match (name, values) {
            ("malloc" | "alloca", [size, ..]) => (*size, Content::Unknown),
            ("calloc", [count, size, ..]) => (count.saturating_mul(*size), Content::Zero),
            ("realloc", [_, size]) => (*size, Content::Unknown),
            ("free", [address]) => {
                if *address != 0 {
                    self.memory.free(low(*address))?;
                }
                return Ok(Some(0));
            }
            _ => return Ok(None),
        };
        if name != "alloca" && self.ask(Origin::Allocation(callee), 1)? == 1 {
            return Ok(Some(0));
        }
        let size = u64::try_from(size).map_err(|_| Fault::Memory)?;
        let birth = Birth { variable: None, size: Some(size), align: 1, constant: false, step: self.step };
        let handle = self.memory.allocate(Zone::Heap, birth, content)?;
        let address = self.memory.address(handle);
        if let ("realloc", [old, _]) = (name, values)
            && *old != 0
        {
            self.move_contents(low(*old), handle, size)?;
        }
        Ok(Some(u128::from(address)))
    }

    fn move_contents(&mut self, old: u64, new: Handle, size: u64) -> Result<(), Fault> {
        let Some(handle) = self.memory.find(old) else {
            return Err(Fault::Undefined(UndefinedKind::InvalidFree));
        };
        let len = self.memory.size(handle).min(size);
        self.copy(self.memory.address(new), old, len)?;
        self.memory.replace(old, new)
    }

    /// `mem*` and `str*`; `None` for other functions.
    fn memory_function(&mut self, callee: FunctionId, name: &str, values: &[u128]) -> Result<Option<u128>, Fault> {
        if let Some(result) = self.copying(name, values)? {
            return Ok(Some(result));
        }
        if let Some(result) = self.comparing(callee, name, values)? {
            return Ok(Some(result));
        }
        match (name, values) {
            ("time", [to]) => self.time(callee, low(*to)).map(Some),
            _ => self.searching(name, values),
        }
    }

    /// Functions that write.
    fn copying(&mut self, name: &str, values: &[u128]) -> Result<Option<u128>, Fault> {
        let result = match (name, values) {
            ("memcpy" | "memmove" | "mempcpy", [to, from, len, ..]) => {
                let (to, from, len) = (low(*to), low(*from), low(*len));
                let apart = to.abs_diff(from) >= len || to == from;
                if !apart && name.ends_with("cpy") {
                    return Err(Fault::Undefined(UndefinedKind::LibraryCall));
                }
                self.copy(to, from, len)?;
                u128::from(if name == "mempcpy" { to + len } else { to })
            }
            ("memset", [to, byte, len, ..]) => {
                self.fill(low(*to), *byte, low(*len))?;
                *to
            }
            ("bzero", [to, len]) => {
                self.fill(low(*to), 0, low(*len))?;
                0
            }
            ("strcpy" | "stpcpy", [to, from, ..]) => {
                let mut text = self.string(low(*from), u64::MAX)?;
                let length = text.len() as u128;
                text.push(0);
                self.write_bytes(low(*to), &text)?;
                if name == "strcpy" { *to } else { to + length }
            }
            ("strncpy" | "stpncpy", [to, from, len, ..]) => {
                let mut text = self.string(low(*from), low(*len))?;
                let length = text.len() as u128;
                text.resize(usize::try_from(low(*len)).map_err(|_| Fault::Memory)?, 0);
                self.write_bytes(low(*to), &text)?;
                if name == "strncpy" { *to } else { to + length }
            }
            ("strcat" | "strncat", [to, from, limit @ ..]) => {
                let limit = limit.first().filter(|_| name == "strncat").map_or(u64::MAX, |limit| low(*limit));
                let offset = self.string(low(*to), u64::MAX)?.len() as u64;
                let mut text = self.string(low(*from), limit)?;
                text.push(0);
                self.write_bytes(low(*to) + offset, &text)?;
                *to
            }
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    /// Functions that compare.
    fn comparing(&mut self, callee: FunctionId, name: &str, values: &[u128]) -> Result<Option<u128>, Fault> {
        let (one, other) = match (name, values) {
            ("memcmp" | "bcmp", [a, b, len]) => (self.read_bytes(low(*a), low(*len))?, self.read_bytes(low(*b), low(*len))?),
            ("strcmp", [a, b]) => self.texts(*a, *b, u64::MAX)?,
            ("strncmp", [a, b, len]) => self.texts(*a, *b, low(*len))?,
            ("strcasecmp", [a, b]) => lower_case(self.texts(*a, *b, u64::MAX)?),
            ("strncasecmp", [a, b, len]) => lower_case(self.texts(*a, *b, low(*len))?),
            _ => return Ok(None),
        };
        let difference = one.iter().zip(&other).map(|(a, b)| i32::from(*a) - i32::from(*b)).find(|d| *d != 0).unwrap_or(0);
        let sign = difference.signum();
        // Which number tells that something differs is left open: the library yields the difference, gcc folds to the sign.
        let folded = difference != sign && self.ask(Origin::Comparison(callee), 1)? == 1;
        Ok(Some(u128::from(if folded { sign } else { difference }.cast_unsigned())))
    }

    /// Two texts with what ends them, none longer than a limit.
    fn texts(&mut self, a: u128, b: u128, limit: u64) -> Result<(Vec<u8>, Vec<u8>), Fault> {
        let ended = |mut text: Vec<u8>| {
            if (text.len() as u64) < limit {
                text.push(0);
            }
            text
        };
        Ok((ended(self.string(low(a), limit)?), ended(self.string(low(b), limit)?)))
    }

    /// Functions that look for something.
    fn searching(&mut self, name: &str, values: &[u128]) -> Result<Option<u128>, Fault> {
        let found = |base: u128, at: Option<usize>| at.map_or(0, |at| base + at as u128);
        let result = match (name, values) {
            ("strlen", [text]) => self.string(low(*text), u64::MAX)?.len() as u128,
            ("strnlen", [text, limit]) => self.string(low(*text), low(*limit))?.len() as u128,
            ("memchr", [area, wanted, len]) => {
                // Bytes behind the one that is found need not exist.
                let mut at = None;
                for index in 0..low(*len) {
                    if self.read_bytes(low(*area) + index, 1)?.first() == Some(&byte(*wanted)) {
                        at = usize::try_from(index).ok();
                        break;
                    }
                }
                found(*area, at)
            }
            ("strchr" | "index" | "strrchr" | "rindex" | "strchrnul", [text, wanted]) => {
                let mut bytes = self.string(low(*text), u64::MAX)?;
                bytes.push(0);
                let is_it = |b: &u8| *b == byte(*wanted);
                match name {
                    "strrchr" | "rindex" => found(*text, bytes.iter().rposition(is_it)),
                    "strchrnul" => found(*text, Some(bytes.iter().position(is_it).unwrap_or(bytes.len() - 1))),
                    _ => found(*text, bytes.iter().position(is_it)),
                }
            }
            ("strstr", [text, wanted]) => {
                let (bytes, wanted) = (self.string(low(*text), u64::MAX)?, self.string(low(*wanted), u64::MAX)?);
                let last = bytes.len().checked_sub(wanted.len());
                found(*text, last.and_then(|last| (0..=last).find(|at| bytes[*at..].starts_with(&wanted))))
            }
            ("strspn" | "strcspn" | "strpbrk", [text, set]) => {
                let (bytes, set) = (self.string(low(*text), u64::MAX)?, self.string(low(*set), u64::MAX)?);
                let first = bytes.iter().position(|b| set.contains(b) == (name != "strspn"));
                match name {
                    "strpbrk" => found(*text, first),
                    _ => first.unwrap_or(bytes.len()) as u128,
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    fn fill(&mut self, to: u64, value: u128, len: u64) -> Result<(), Fault> {
        if len == 0 {
            return Ok(());
        }
        let area = self.writable(to, len)?;
        self.memory.bytes_mut(area).fill(byte(value));
        Ok(())
    }

    /// `time`: any time, also stored where the argument points.
    fn time(&mut self, callee: FunctionId, to: u64) -> Result<u128, Fault> {
        let Type::Function(function) = self.cfa.types.get(self.cfa.function(callee).ty) else {
            return Err(Fault::Unsupported("time that is no function".into()));
        };
        let Kind::Int { bits, .. } = self.layouts.get(function.result.ty).kind else {
            return Err(Fault::Unsupported("time of a strange type".into()));
        };
        let value = self.ask(Origin::External(callee), bits)?;
        if to != 0 {
            let bytes = value.to_le_bytes();
            self.write_bytes(to, &bytes[..bits as usize / 8])?;
        }
        Ok(value)
    }

    /// The area of a library call; no access happens if it is empty.
    fn accessed(&self, address: u64, len: u64) -> Result<Option<Area>, Fault> {
        if len == 0 { Ok(None) } else { self.memory.area(None, address, len).map(Some) }
    }

    fn writable(&self, address: u64, len: u64) -> Result<Area, Fault> {
        let area = self.memory.area(None, address, len)?;
        if self.memory.is_constant(area) {
            return Err(Fault::Undefined(UndefinedKind::ReadOnly));
        }
        Ok(area)
    }

    fn read_bytes(&mut self, address: u64, len: u64) -> Result<Vec<u8>, Fault> {
        let Some(area) = self.accessed(address, len)? else { return Ok(Vec::new()) };
        for index in 0..area.len {
            self.read(super::memory::Memory::part(area, index, 1), 8)?;
        }
        Ok(self.memory.bytes(area).to_vec())
    }

    fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let area = self.writable(address, bytes.len() as u64)?;
        self.memory.bytes_mut(area).copy_from_slice(bytes);
        Ok(())
    }

    fn copy(&mut self, to: u64, from: u64, len: u64) -> Result<(), Fault> {
        let Some(area) = self.accessed(from, len)? else { return Ok(()) };
        for index in 0..area.len {
            self.read_along(super::memory::Memory::part(area, index, 1), 8)?;
        }
        let copy = self.memory.copied(area);
        let target = self.writable(to, len)?;
        self.memory.write_copy(target, &copy);
        Ok(())
    }

    /// The bytes from `address` to the first zero byte, at most `limit`.
    fn string(&mut self, address: u64, limit: u64) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        while (text.len() as u64) < limit {
            let byte = self.read_bytes(address + text.len() as u64, 1)?;
            match byte.first() {
                Some(0) | None => break,
                Some(byte) => text.push(*byte),
            }
        }
        Ok(text)
    }
}

/// Texts without the difference between small and capital letters of the C locale.
fn lower_case((mut one, mut other): (Vec<u8>, Vec<u8>)) -> (Vec<u8>, Vec<u8>) {
    one.make_ascii_lowercase();
    other.make_ascii_lowercase();
    (one, other)
}

/// A character as an `int` argument.
const fn byte(value: u128) -> u8 {
    value as u8
}

/// The lowest 64 bits.
const fn low(value: u128) -> u64 {
    value as u64
}
