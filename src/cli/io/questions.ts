import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { didYouMean } from '../../core/text/similar-names.ts';
import { printable } from '../../core/text/text.ts';
import { isLoopback, urlError } from '../../core/http/url.ts';
import { CI_SYSTEMS, HOSTS, STORES } from '../choices.ts';
import { isUrl } from '../fetch.ts';
import type { Question } from './prompts.ts';

/** The prompts of `init` and `add-app`, and the validation of their answers. */

export const BASE_URL: Question = {
  flag: '--base-url',
  message: 'At which address will the files be served?',
  placeholder: 'https://apps.example.com/',
  fault: baseFault,
};
export const MANIFEST: Question = { flag: '--manifest', message: '', fault: manifestFault };
export const ORIGIN: Question = { flag: '--service-origin', message: '', fault: originFault };
export const STORE: Question = { flag: '--store', message: '', fault: oneOf(STORES) };
export const BUCKET: Question = {
  flag: '--bucket',
  message: 'In which bucket is it kept?',
  fault: (text) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(text) ? null : 'a bucket has letters, digits, dots and hyphens.',
};
export const HOST: Question = { flag: '--host', message: '', fault: oneOf(HOSTS) };
/** Cloudflare assigns each account its own endpoint. */
export const R2_ENDPOINT: Question = {
  flag: '--endpoint',
  message: 'At which address does R2 take what is stored? (R2 › Settings › S3 API)',
  placeholder: 'https://<account id>.r2.cloudflarestorage.com',
  fault: (text) => urlError(text)?.message ?? null,
};
export const CI: Question = { flag: '--ci', message: '', fault: oneOf(CI_SYSTEMS) };

/** The source of a version's bytes: the answer is a file, a folder or a URL. */
export function sourceQuestion(cwd: string): Question {
  return {
    flag: '--entry',
    message: 'What is published? (an entry point to build, a .tar.gz, or its URL)',
    fault: (text) => {
      if (isUrl(text)) return urlError(text)?.message ?? null;
      return text !== '' && existsSync(resolve(cwd, text)) ? null : 'there is no such file.';
    },
  };
}
export const SERVICE: Question = {
  flag: '--service',
  message: 'At which address is the service?',
  placeholder: 'https://flows.example.com',
  fault: (text) => urlError(text)?.message ?? null,
};
export const REGISTRY_NAME: Question = {
  flag: '--name',
  message: 'What is the registry called in the organization?',
  fault: emptyFault,
};

/** An app's fields in the manifest, in the order name, description, colour, icon. */
export function appQuestions(cwd: string, key: string): Question[] {
  return [
    { flag: '--name', message: 'What is it called?', initial: titleOf(key), fault: emptyFault },
    { flag: '--description', message: 'What does it do, in a sentence?', fault: emptyFault },
    { flag: '--color', message: 'The colour of its blocks (#RRGGBB)', initial: '#3b5bdb', fault: colorFault },
    {
      flag: '--icon',
      message: 'Its icon: a PNG or SVG file, or a URL (empty: one is drawn from its first letter)',
      placeholder: 'icon.svg',
      fault: (text) => iconFault(cwd, text),
    },
  ];
}

function titleOf(key: string): string {
  const words = key.split(/[-_]+/).filter((word) => word !== '');
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
}

export function emptyFault(text: string): string | null {
  return text.trim() === '' ? 'it must not be empty.' : null;
}

function colorFault(text: string): string | null {
  return /^#[0-9a-fA-F]{6}$/.test(text) ? null : 'a colour is # and six hexadecimal digits, like #3b5bdb.';
}

/** An empty answer is valid at a terminal: an icon is generated then. */
function iconFault(cwd: string, text: string): string | null {
  if (text === '') return null;
  if (isUrl(text)) return urlError(text)?.message ?? null;
  return existsSync(resolve(cwd, text)) ? null : 'there is no such file.';
}

function baseFault(text: string): string | null {
  const fault = urlError(text);
  if (fault) return fault.message;
  const url = new URL(text);
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return 'a query or fragment cannot stand in it, since paths are added to it.';
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'it must begin with https:// (http is for this machine alone).';
  return null;
}

function manifestFault(name: string): string | null {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*\.json$/.test(name))
    return 'it must be a plain file name that ends in .json, made of letters, digits, - _ and dots.';
  return /^(appreg\.config|package|package-lock|tsconfig)\.json$/i.test(name)
    ? 'that name has a meaning of its own.'
    : null;
}

function originFault(text: string): string | null {
  const fault = urlError(text);
  if (fault) return fault.message;
  const { origin } = new URL(text);
  return origin === text ? null : `an origin is a scheme and a host alone: ${printable(origin)}`;
}

export function oneOf(values: readonly string[]): (text: string) => string | null {
  return (text) =>
    values.includes(text) ? null : `it must be one of ${values.join(', ')}.${didYouMean(text, values)}`;
}
