// Archives are part of the conformance kit.
export * from '../../src/conformance/hosts/tar-builder.ts';
