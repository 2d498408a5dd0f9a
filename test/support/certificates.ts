import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from './folder.ts';

/** Why tests with certificates are skipped, if they are. */
export const noOpenssl =
  spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl to make certificates';

/** Paths of a certificate and its private key. */
export interface Pair {
  cert: string;
  key: string;
}

/** A private certificate authority, and what it has issued. */
export interface Authority {
  /** The path of its certificate. */
  ca: string;
  /** A certificate for localhost and 127.0.0.1. */
  server: Pair;
  client: Pair;
}

const made = new Map<string, Promise<Authority>>();

/** An authority of this name, with its certificates. All tests of a process share it. */
export function authority(name = 'authority'): Promise<Authority> {
  const known = made.get(name) ?? make(name);
  made.set(name, known);
  return known;
}

async function make(name: string): Promise<Authority> {
  const folder = await sharedFolder();
  const at = (file: string): string => join(folder, file);
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync('openssl', args);
    assert.equal(status, 0, String(stderr));
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const own = ['-keyout', at('ca.key'), '-out', at('ca.pem')];
  openssl('req', '-x509', ...newKey, '-days', '2', '-subj', `/CN=${name}`, ...own);
  const issue = (file: string, extension: string): Pair => {
    const pair = { cert: at(`${file}.pem`), key: at(`${file}.key`) };
    const request = at(`${file}.csr`);
    openssl('req', ...newKey, '-subj', `/CN=${file}`, '-keyout', pair.key, '-out', request);
    const extensions = at(`${file}.txt`);
    writeFileSync(extensions, extension);
    const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', extensions];
    openssl('x509', '-req', '-in', request, ...signed, '-days', '2', '-out', pair.cert);
    return pair;
  };
  return {
    ca: at('ca.pem'),
    server: issue('server', 'subjectAltName=DNS:localhost,IP:127.0.0.1'),
    client: issue('client', 'extendedKeyUsage=clientAuth'),
  };
}

/** The contents of the files. */
export const pems = ({ cert, key }: Pair): { cert: Buffer; key: Buffer } => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
});
