import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKeyFile } from '../../../../operator/backends/files/hash-key-file';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hash-key-'));
  path = join(folder, 'key');
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

describe('hashKeyFile', () => {
  test('tells that there is no file yet', async () => {
    await expect(hashKeyFile(path).read()).resolves.toBeUndefined();
  });

  test('keeps a text in one file, readable by the owner alone', async () => {
    const place = hashKeyFile(path);
    await place.create('text\n');
    await expect(place.read()).resolves.toBe('text\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('leaves a file alone that is there already', async () => {
    writeFileSync(path, 'of another process');
    await hashKeyFile(path).create('text');
    expect(readFileSync(path, 'utf8')).toBe('of another process');
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('refuses a folder that does not exist, naming the file', async () => {
    const lost = join(folder, 'no', 'key');
    await expect(hashKeyFile(lost).create('text')).rejects.toMatchObject({
      code: 'store/keys',
      message: `the hash key file "${lost}" cannot be created (ENOENT); check its folder and the permissions there`,
    });
  });

  test('refuses what it cannot read, naming the file and the reason', async () => {
    mkdirSync(path);
    await expect(hashKeyFile(path).read()).rejects.toMatchObject({
      code: 'store/keys',
      message: `the hash key file "${path}" cannot be read (EISDIR); check the file and its permissions`,
    });
  });
});
