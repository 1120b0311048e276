// The hosts are part of the conformance kit.
export * from '../../src/conformance/hosts/behaviours.ts';
export * from '../../src/conformance/hosts/behaviours.ts';
export * from '../../src/conformance/hosts/fault-host.ts';
