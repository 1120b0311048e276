// Archives are part of the conformance kit.
export * from '../../conformance/src/hosts/tar-builder.ts';
