/** Whether a text is an entity tag, weak or strong; looser than RFC 9110, as browsers are. */
export function isEntityTag(text: string): boolean {
  return /^(?:W\/)?"[^"]*"$/.test(text);
}
