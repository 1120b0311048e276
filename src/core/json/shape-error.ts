/** What a validator that ajv compiled reports; one entry per fault, since all of them are collected. */
export interface ShapeError {
  instancePath: string;
  /** JSON Pointer of the keyword in the schema, after a #. */
  schemaPath: string;
  keyword: string;
  /** The name of a member that `propertyNames` refuses. */
  propertyName?: string;
  params: Record<string, unknown>;
}

/** A compiled schema. */
export interface Validator {
  (value: unknown): boolean;
  errors?: ShapeError[] | null;
}
