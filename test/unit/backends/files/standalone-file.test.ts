import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStandaloneFile, writeStandaloneFile } from '../../../../operator/backends/files/standalone-file';

const IDENTITY = {
  clusterUid: 'c',
  namespaces: [{ name: 'a', uid: 'u', labels: { team: 'x' } }],
  secrets: { 'a/mine': { type: 'Opaque', data: { secret: 'correct-horse' } } },
};

describe('readStandaloneFile', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'standalone-file-'));
    path = join(folder, 'identity.json');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('reads what was written', () => {
    writeStandaloneFile(path, IDENTITY);
    expect(readStandaloneFile(path)).toEqual(IDENTITY);
  });

  test('finds nothing where no file is', () => {
    expect(readStandaloneFile(path)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['an empty object', {}],
    ['a text', 'x'],
    ['no cluster', { ...IDENTITY, clusterUid: undefined }],
    ['an empty cluster', { ...IDENTITY, clusterUid: '' }],
    ['a member of its own', { ...IDENTITY, more: 1 }],
    ['namespaces that are no list', { ...IDENTITY, namespaces: {} }],
    ['a namespace without UID', { ...IDENTITY, namespaces: [{ name: 'a', labels: {} }] }],
    ['labels that are no texts', { ...IDENTITY, namespaces: [{ name: 'a', uid: 'u', labels: { a: 1 } }] }],
    ['one namespace twice', { ...IDENTITY, namespaces: [...IDENTITY.namespaces, { name: 'a', uid: 'v', labels: {} }] }],
    ['one UID twice', { ...IDENTITY, namespaces: [...IDENTITY.namespaces, { name: 'b', uid: 'u', labels: {} }] }],
    ['secrets that are a list', { ...IDENTITY, secrets: [] }],
    ['a secret of no namespace', { ...IDENTITY, secrets: { mine: IDENTITY.secrets['a/mine'] } }],
    ['a secret without data', { ...IDENTITY, secrets: { 'a/mine': { type: 'Opaque' } } }],
    ['a secret that is null', { ...IDENTITY, secrets: { 'a/mine': null, 'a/other': IDENTITY.secrets['a/mine'] } }],
  ])('refuses %s, naming the file and no value of it', (_what, content) => {
    writeFileSync(path, JSON.stringify(content));
    const read = (): unknown => readStandaloneFile(path);
    expect(read).toThrow(expect.objectContaining({ code: 'settings/invalid' }) as Error);
    expect(read).toThrow(`"${path}" holds the identity of the standalone cluster and is damaged`);
    expect(read).not.toThrow('correct-horse');
  });

  test('refuses text that is not JSON', () => {
    writeFileSync(path, '');
    expect(() => readStandaloneFile(path)).toThrow('cannot be read; restore it');
  });
});
