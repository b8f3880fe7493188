//! The JSON schema of experiments' files, for editors and for [`super::check`].

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::{
    file::ExperimentFile,
    kinds::{KINDS, TrialKind},
};

/// The schema of files with trials of one kind.
pub fn of_kind<K: TrialKind>() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let generator = settings.into_generator();
    let schema = generator.into_root_schema_for::<ExperimentFile<K>>();
    let mut schema = schema.to_value();
    if let Some(kind) = schema.pointer_mut("/properties/kind") {
        *kind = json!({ "description": "What a trial is", "const": K::NAME });
    }
    schema
}

/// The schema of all files.
pub fn whole() -> Value {
    let kinds = KINDS.iter().map(|row| {
        let mut schema = (row.schema)();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("$schema");
            schema.insert("title".to_owned(), json!(row.name));
            schema.insert("description".to_owned(), json!(row.about));
        }
        schema
    });
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "An experiment for canopy-engine",
        "oneOf": kinds.collect::<Vec<Value>>(),
    })
}
