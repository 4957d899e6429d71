import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import { join } from 'node:path';

import { Chart, Testing } from 'cdk8s';

import {
  IpamService,
  ipamServiceProblems,
  type GeneratedSecretProps,
  type IpamServiceProps,
} from '../../../../constructs';
import { one, type Json } from '../../../support/operator-objects';

const ports = [{ port: 80 }];
const VALUE = 'correct-horse-battery';

function chartWith(props: Partial<IpamServiceProps>): Chart {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'apps' });
  new IpamService(chart, 'shop', { ports, ...props });
  return chart;
}

const synthesized = (props: Partial<IpamServiceProps>): readonly Json[] => Testing.synth(chartWith(props)) as Json[];
const secretOf = (objects: readonly Json[]): string =>
  Buffer.from(one(objects, 'Secret')['data']!['secret']!, 'base64').toString('utf8');
const problemsOf = (generatedSecret: GeneratedSecretProps, more: Partial<IpamServiceProps> = {}) =>
  ipamServiceProblems({ ports, generatedSecret, ...more });

describe('the secret of an IpamService', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ipam-secret-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = (text: string): string => {
    const path = join(folder, 'secret');
    writeFileSync(path, text);
    return path;
  };

  test('is a name alone where it is given by reference', () => {
    const objects = synthesized({ secret: 'team' });
    expect(objects.map(({ kind }) => kind)).toEqual(['Service']);
    expect(objects[0]!['metadata']!['annotations']).toEqual({ 'ipam.vitistack.io/secret': 'team' });
  });

  test('is an Opaque Secret of its own before the Service, named after it', () => {
    const objects = synthesized({ generatedSecret: { value: VALUE }, labels: { team: 'a' } });
    expect(objects.map(({ kind }) => kind)).toEqual(['Secret', 'Service']);
    expect(objects[0]).toMatchObject({
      type: 'Opaque',
      metadata: { name: 'shop-ipam', namespace: 'apps', labels: { team: 'a' } },
    });
    expect(Object.keys(objects[0]!['data']!)).toEqual(['secret']);
    expect(secretOf(objects)).toBe(VALUE);
    expect(objects[1]!['metadata']!['annotations']).toEqual({ 'ipam.vitistack.io/secret': 'shop-ipam' });
  });

  test('takes a name, and the namespace of the Service', () => {
    const objects = synthesized({ namespace: 'x', generatedSecret: { name: 'mine', value: VALUE } });
    expect(one(objects, 'Secret')['metadata']).toEqual({ name: 'mine', namespace: 'x' });
    expect(one(objects, 'Service')['metadata']!['annotations']).toEqual({ 'ipam.vitistack.io/secret': 'mine' });
  });

  test.each([
    ['without a line break', VALUE, VALUE],
    ['with one at its end', `${VALUE}\n`, VALUE],
    ['with one of Windows', `${VALUE}\r\n`, VALUE],
    ['with two, of which one counts', `${VALUE}\n\n`, `${VALUE}\n`],
    ['with blanks and digits', ' 01234567 ', ' 01234567 '],
    ['beyond ASCII', 'pässwörd', 'pässwörd'],
  ])('is read from a file %s', (_what, text, value) => {
    expect(secretOf(synthesized({ generatedSecret: { file: file(text) } }))).toBe(value);
  });

  test.each([7, 65])('has not %i characters', (length) => {
    const value = 'x'.repeat(length);
    expect(problemsOf({ value })).toEqual([
      {
        code: 'secret/invalid',
        field: 'generatedSecret.value',
        message: `generatedSecret.value: the secret has ${String(length)} characters; 8 to 64 are allowed`,
      },
    ]);
    expect(problemsOf({ file: file(value) })[0]?.message).toContain('generatedSecret.file: the secret has');
  });

  test.each([8, 64])('may have %i characters, counted as people do', (length) => {
    expect(problemsOf({ value: '😀'.repeat(length) })).toEqual([]);
  });

  test.each([
    ['neither a value nor a file', {}, {}, 'generatedSecret: neither value nor file is given; give one of them'],
    ['an empty value, as of a missing variable', { value: '' }, {}, 'the secret has 0 characters'],
    [
      'a mistyped key',
      { value: VALUE, valeu: '' },
      {},
      'generatedSecret.valeu: there is no such prop; did you mean value?',
    ],
    [
      'the name of the cluster’s own',
      { value: VALUE, name: 'default' },
      {},
      'generatedSecret.name: "default" stands for',
    ],
    ['a name that no Secret has', { value: VALUE, name: 'Mine' }, {}, 'metadata.annotations[ipam.vitistack.io/secret]'],
    [
      'a file that is not there',
      { file: '/nowhere/x' },
      {},
      'generatedSecret.file: "/nowhere/x" cannot be read (ENOENT)',
    ],
    ['a reference as well', { value: VALUE }, { secret: 'team' }, 'secret: "team" is named and generatedSecret makes'],
  ] as const)('is refused with %s', (...[, generatedSecret, more, text]) => {
    const messages = problemsOf(generatedSecret, more).map(({ message }) => message);
    expect(messages).toEqual([expect.stringContaining(text)]);
  });

  test('is not given twice', () => {
    expect(problemsOf({ value: VALUE, file: '/nowhere/x' }).map(({ message }) => message)).toEqual([
      'generatedSecret: value and file are both given; give one of them',
    ]);
  });

  test('is in no message, no error and no annotation, whatever is wrong with it', () => {
    const long = `${VALUE}-${'s3cr3t'.repeat(20)}`;
    const wrong: readonly Partial<IpamServiceProps>[] = [
      { generatedSecret: { value: long } },
      { generatedSecret: { file: file(long) } },
      { generatedSecret: { value: long, file: '/nowhere/x' } },
      { generatedSecret: { value: long, name: 'default' }, secret: 'team', zone: '' },
    ];
    for (const props of wrong) {
      const chart = chartWith(props);
      let said = '';
      try {
        Testing.synth(chart);
      } catch (thrown) {
        said = inspect(thrown, { depth: 9 });
      }
      expect(said).toContain('[chart/shop]');
      expect(said).not.toContain('s3cr3t');
      expect(JSON.stringify(ipamServiceProblems({ ports, ...props }))).not.toContain('s3cr3t');
    }
    const service = JSON.stringify(one(synthesized({ generatedSecret: { value: VALUE } }), 'Service'));
    expect(service).not.toContain(VALUE);
    expect(service).not.toContain(Buffer.from(VALUE).toString('base64'));
  });
});
