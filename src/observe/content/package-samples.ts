/** Files of packages that contain keys that protect nothing: documentation, examples and tests. */

const FOLDER = /^(?:tests?|__tests__|specs?|fixtures?|examples?|docs?|samples?)$/i;
const FILE = /\.(?:md|markdown|d\.[cm]?ts|(?:test|spec)\.[cm]?[jt]s)$/i;

/** True for a file of a package in node_modules that serves its documentation, examples or tests. */
export function isPackageSample(path: string): boolean {
  const segments = path.split('/');
  const packages = segments.findIndex((name) => name.toLowerCase() === 'node_modules');
  const file = segments.pop() ?? '';
  if (packages === -1 || packages === segments.length) return false;
  return FILE.test(file) || segments.slice(packages + 1).some((name) => FOLDER.test(name));
}
