/** Icons by digest, validated and limited in size. */
export interface IconRow {
  sha256: Buffer;
  type: 'image/png' | 'image/svg+xml';
  bytes: Buffer;
}
