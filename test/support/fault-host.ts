// The hosts are part of the conformance kit.
export * from '../../conformance/src/hosts/behaviours.ts';
export * from '../../conformance/src/hosts/behaviours.ts';
export * from '../../conformance/src/hosts/fault-host.ts';
