import { Spec, Validation } from '@cyclonedx/cyclonedx-library';

/** One for all tests of a process: each one compiles its schema, which takes a second. */
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

/** The errors of the official schema of bills of materials, in its strict form; null for none. */
export async function billErrors(bill: string): Promise<unknown> {
  return validator.validate(bill);
}
