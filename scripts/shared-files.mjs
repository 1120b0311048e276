// Divides the code that commands share among files. Each file that a process loads takes time, as does each kB, so
// commands share a file where reading what only others need takes less time than opening one more file.

/** A process opens a file in the time in which it compiles this number of bytes of source text (measured with Node 20). */
const COST_OF_FILE = 5000;
/** The user of what is loaded on demand. */
const DEMAND = 'demand';
/**
 * How much the time of a program counts: help, which loads the first three, has to appear at once, and what is loaded
 * before the compiled code of earlier processes is read, is compiled each time.
 */
const weightOf = (loader) => (['main', 'compile-cache', 'program'].includes(loader) ? 8 : 1);

/**
 * The number of the file of each module that several programs use.
 * @param entries the modules that programs begin with: pairs of a module's id and the program's name
 * @param order names of the programs that every command loads first, in this order
 * @param infoOf what is known of a module: `importedIds`, `dynamicallyImportedIds` and `code`
 * @returns numbers from 1, by module id; none for what one program alone uses, or what is only loaded on demand
 */
export function sharedFiles(entries, order, infoOf) {
  const files = new Map();
  const fileOf = new Map();
  for (const [id, users] of usersOfModules(entries, infoOf)) {
    if (users.size < 2) continue;
    const loaders = withLater(users, order, entries);
    const key = [...loaders].sort().join();
    const file = files.get(key) ?? { ids: [], size: 0, loaders, imports: new Set() };
    files.set(key, file);
    fileOf.set(id, file);
    file.ids.push(id);
    file.size += infoOf(id)?.code?.length ?? 0;
  }
  for (const [id, file] of fileOf)
    for (const imported of infoOf(id)?.importedIds ?? []) {
      const other = fileOf.get(imported);
      if (other !== undefined && other !== file) file.imports.add(other);
    }
  const merged = mergeFiles(new Set(files.values()));
  const sorted = [...merged].sort((a, b) => b.loaders.size - a.loaders.size || b.size - a.size);
  return new Map(sorted.flatMap(({ ids }, i) => ids.map((id) => [id, i + 1])));
}

/**
 * The programs that use each module, as sets of names by module id. What is loaded on demand is used by `DEMAND`.
 */
function usersOfModules(entries, infoOf) {
  const users = new Map();
  const begun = new Set(entries.map(([id]) => id));
  const queue = [...entries];
  for (const [entry, name] of queue) {
    const reached = new Set([entry]);
    for (const id of reached) {
      users.set(id, (users.get(id) ?? new Set()).add(name));
      const info = infoOf(id);
      for (const imported of info?.importedIds ?? []) reached.add(imported);
      for (const imported of info?.dynamicallyImportedIds ?? []) {
        if (begun.has(imported)) continue;
        begun.add(imported);
        queue.push([imported, DEMAND]);
      }
    }
  }
  return users;
}

/** The users of a module, and all programs that are loaded after one of them. */
function withLater(users, order, entries) {
  const first = order.findIndex((name) => users.has(name));
  if (first === -1) return users;
  const earlier = order.slice(0, first);
  return new Set([...entries.map(([, name]) => name).filter((name) => !earlier.includes(name)), DEMAND]);
}

/**
 * Merges files while that saves time, counted over all programs.
 * @param files `ids`, `size`, the programs that load them (`loaders`), and the other files that they import
 */
function mergeFiles(files) {
  for (;;) {
    const pairs = [];
    const list = [...files];
    for (const [i, a] of list.entries())
      for (const b of list.slice(i + 1)) {
        const gain = gainOf([a, b], []);
        if (gain > 0) pairs.push({ a, b, gain });
      }
    pairs.sort((x, y) => y.gain - x.gain);
    const found = pairs.find(({ a, b }) => {
      const { parts, required } = mergeOf(a, b);
      return gainOf(parts, required) > 0;
    });
    if (found === undefined) return files;
    replace(files, mergeOf(found.a, found.b));
  }
}

/** Two files, those between them, which would import the merged file and be imported by it, and what these require. */
function mergeOf(a, b) {
  const reached = new Set([...reachedFrom(a), ...reachedFrom(b)]);
  const parts = [...reached].filter((file) => {
    const imported = reachedFrom(file);
    return file === a || file === b || imported.has(a) || imported.has(b);
  });
  return { parts, required: [...reached].filter((file) => !parts.includes(file)) };
}

/** A file, and all that it imports, directly or not. */
function reachedFrom(file) {
  const reached = new Set([file]);
  for (const one of reached) for (const imported of one.imports) reached.add(imported);
  return reached;
}

/** What all programs save if these files are one, which requires others, in bytes of source text. */
function gainOf(parts, required) {
  let gain = 0;
  for (const loader of new Set(parts.flatMap((file) => [...file.loaders]))) {
    let saved = -COST_OF_FILE;
    for (const file of parts) saved += file.loaders.has(loader) ? COST_OF_FILE : -file.size;
    for (const file of required) if (!file.loaders.has(loader)) saved -= COST_OF_FILE + file.size;
    gain += weightOf(loader) * saved;
  }
  return gain;
}

function replace(files, { parts, required }) {
  const loaders = new Set(parts.flatMap((file) => [...file.loaders]));
  const merged = {
    ids: parts.flatMap(({ ids }) => ids),
    size: parts.reduce((sum, { size }) => sum + size, 0),
    loaders,
    imports: new Set(parts.flatMap((file) => [...file.imports]).filter((file) => !parts.includes(file))),
  };
  for (const file of required) file.loaders = new Set([...file.loaders, ...loaders]);
  for (const file of parts) files.delete(file);
  for (const file of files) {
    if (!parts.some((part) => file.imports.delete(part))) continue;
    for (const part of parts) file.imports.delete(part);
    file.imports.add(merged);
  }
  files.add(merged);
}
