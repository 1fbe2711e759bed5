//! The maps in the headers of modules are compared with what the modules import: each uses only what is below it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The names in the map of a module's header, from top to bottom.
fn map_of(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let header = text.lines().take_while(|line| line.starts_with("//!")).map(|line| line[3..].trim());
    let map = header.skip_while(|line| *line != "```text").skip(1).take_while(|line| *line != "```");
    map.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// The modules of a folder, each with all its files.
fn modules_of(folder: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut modules: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        modules.entry(name).or_default().extend(files_of(&path));
    }
    modules
}

fn files_of(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    fs::read_dir(path).unwrap().flat_map(|entry| files_of(&entry.unwrap().path())).collect()
}

/// The names that follow a path such as `crate::`, in code: comments and tests are left out.
fn imports(file: &Path, prefix: &str) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for line in lines {
        for (at, _) in line.match_indices(prefix) {
            let rest = &line[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(list) => names.extend(list.split(',').map(|part| name(part.trim()))),
                None => names.push(name(rest)),
            }
        }
    }
    names
}

/// Refuses a module that is not on the map, and one that imports what is not below it.
fn check(map: &Path, folder: &Path, prefixes: &[String], own: &str) {
    let order = map_of(map);
    let modules = modules_of(folder);
    let place = |name: &str| order.iter().position(|other| other == name);
    for (module, files) in modules.iter().filter(|(module, _)| *module != own) {
        let at = place(module).unwrap_or_else(|| panic!("{}: {module} is not on the map", map.display()));
        for file in files {
            for name in prefixes.iter().flat_map(|prefix| imports(file, prefix)) {
                if name != *module && modules.contains_key(&name) && name != own {
                    let below = place(&name).unwrap_or(usize::MAX);
                    assert!(
                        below > at,
                        "{} imports {name}, which is above {module} in {}",
                        file.display(),
                        map.display()
                    );
                }
            }
        }
    }
    for name in &order {
        assert!(modules.contains_key(name) || name == "mod", "{}: there is no module {name}", map.display());
    }
}

#[test]
fn modules_import_what_is_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    check(&src.join("lib.rs"), &src, &["crate::".to_owned()], "lib");
    let mut maps = 0;
    for file in files_of(&src).into_iter().filter(|file| file.ends_with("mod.rs") && !map_of(file).is_empty()) {
        let folder = file.parent().unwrap().to_owned();
        let inside: Vec<_> = folder.strip_prefix(&src).unwrap().iter().map(|part| part.to_string_lossy()).collect();
        let from_root = format!("crate::{}::", inside.join("::"));
        check(&file, &folder, &["super::".to_owned(), from_root], "mod");
        maps += 1;
    }
    assert!(maps >= 5, "only {maps} maps");
}
