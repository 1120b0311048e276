/** One step of a JSON Pointer (RFC 6901): a slash and a member's name or an element's index. */
export function pointerStep(name: string | number): string {
  return typeof name === 'number' || !/[~/]/.test(name)
    ? `/${name}`
    : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A JSON Pointer from names and indexes. */
export function pointerTo(...steps: readonly (string | number)[]): string {
  return steps.map(pointerStep).join('');
}

/** The names and indexes of a JSON Pointer, as text. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
