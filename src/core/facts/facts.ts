/**
 * The vocabulary of observation: what was observed of a registry. Plain JSON throughout, so that facts can be saved and
 * judged again with the same result. No fact says that anything is right or wrong.
 */

export type * from './baseline.ts';
export type * from './compared.ts';
export { isMissing, type Missing } from './missing.ts';
export type * from './http-views.ts';
export type * from './probe.ts';
export type * from './resource-kind.ts';
export type * from './resource.ts';
export type * from './service.ts';
export type * from './snapshot.ts';
