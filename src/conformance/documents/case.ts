/** The kind of document that a case contains. */
export type DocumentKind = 'manifest' | 'metadata';

export interface DocumentScript {
  /** The document is the file `manifest.json` or `metadata.json` in the folder of the case. */
  document: DocumentKind;
}

export interface DocumentExpectation {
  /** `warnings`: the document is accepted, and has a fault that a validator should report. */
  verdict: 'valid' | 'warnings' | 'invalid';
  /** Where the faults are, as JSON Pointers; empty for a document that cannot be parsed. */
  faults: readonly string[];
}
