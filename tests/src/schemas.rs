//! Schemas, as strict as tests want them.

use serde_json::Value;

/// Forbids every property that an object of the schema does not name, as those of others may have.
pub fn strict(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        if object.contains_key("properties") && object.contains_key("type") && !object.contains_key("additionalProperties") {
            object.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        object.values_mut().for_each(strict);
    } else if let Some(items) = schema.as_array_mut() {
        items.iter_mut().for_each(strict);
    }
}
