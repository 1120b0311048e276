/** Absolute paths of the machine that built the code. */

/** Folders of users, of CI systems and of their containers, with the name of the user or project. */
const HOME_FOLDERS =
  /(?<![\w.~@%-])((?:\/(?:home|Users)\/|(?:[A-Za-z]:)(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)|\/builds\/|\/home\/runner\/work\/|\/__w\/|\/github\/)[\w.+@-]{1,64})((?:(?:\\{1,4}|\/)[\w.+@ -]{1,100}){1,40})/g;
const ROOT_FOLDER = /(?<![\w.~@%-])(\/root)((?:\/[\w.+@-]{1,100}){2,40})/g;
/** Users of virtual file systems and of documentation. */
const EXAMPLE_USER =
  /[\\/](web_user|user(name)?|me|you|foo|bar|name|your[-_]?\w*|alice|bob|john|jane|jdoe|example|test|Public|Default)$/i;
/** A source file, or a folder of a project. */
const SOURCE =
  /\.(?:[cm]?[jt]sx?|json|vue|svelte|css|s[ac]ss|wasm|node|map|go|rs|py)$|[\\/](?:node_modules|src|dist|lib|packages)[\\/]/;

export interface BuildPath {
  folder: string;
  from: number;
}

/**
 * @param own folders of this machine: a path below them was built here
 * @param hasPaths false if the text contains no folder of users or of a CI system
 */
export function buildPathsIn(text: string, own: readonly string[], hasPaths: boolean): BuildPath[] {
  const found: BuildPath[] = [];
  for (const pattern of hasPaths ? [HOME_FOLDERS, ROOT_FOLDER] : [])
    for (const match of text.matchAll(pattern)) {
      const [, folder = '', rest = ''] = match;
      if (SOURCE.test(rest) && !EXAMPLE_USER.test(folder)) found.push({ folder, from: match.index });
    }
  for (const folder of own) {
    const at = text.indexOf(`${folder}/`);
    if (at !== -1 && !found.some((one) => folder.startsWith(one.folder))) found.push({ folder, from: at });
  }
  return found;
}

/** The folders of this machine that no other text contains by chance: at least two levels below the root. */
export function distinctiveFolders(folders: readonly string[]): string[] {
  return [...new Set(folders)].filter((folder) => /^\/[^/]+\/[^/]+/.test(folder) && folder.length >= 8);
}
