/** One step of a JSON Pointer (RFC 6901): a member's name or an element's index, behind its slash. */
export function pointerStep(name: string | number): string {
  return typeof name === 'number' || !/[~/]/.test(name)
    ? `/${name}`
    : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A JSON Pointer made of names and indexes. */
export function pointerTo(...steps: readonly (string | number)[]): string {
  return steps.map(pointerStep).join('');
}
