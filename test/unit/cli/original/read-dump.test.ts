import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueOf } from '../../../../operator/errors/ipam-error';
import { openOldSecrets } from '../../../../operator/cli/original/old-secrets';
import { readDump, type Dump } from '../../../../operator/cli/original/read-dump';

const FOLDER = join(__dirname, '../../../fixtures/original');
const KEYS = readFileSync(join(FOLDER, 'keys.json'), 'utf8');
const TEXT = readFileSync(join(FOLDER, 'addresses.jsonl'), 'utf8');
const NOW = Date.UTC(2026, 0, 1);

function dumped(text = TEXT): Dump {
  return readDump(text, { decrypt: valueOf(openOldSecrets(KEYS)), nowMs: NOW });
}

function claimAt(line: number) {
  return dumped().claims.find((each) => each.line === line);
}

function leftAt(line: number) {
  const found = dumped().left.find((each) => each.line === line);
  return `${found?.verdict ?? 'imported'}: ${found?.problem ?? ''}`;
}

const PLAIN = { retentionPeriodDays: 0, denyExternalCleanup: false };

describe('readDump', () => {
  test('takes or names every record of the dump', () => {
    const { records, claims, left } = dumped();
    expect(records).toBe(30);
    expect(claims.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 15, 18, 21, 22, 27]);
    expect(left.map(({ line }) => line)).toEqual([8, 9, 10, 11, 12, 13, 14, 17, 19, 20, 23, 24, 25, 26, 28, 29, 30]);
  });

  test('decrypts the secret and keeps services with their options', () => {
    expect(claimAt(2)?.claim).toEqual({
      zone: 'inet',
      address: '10.1.0.11',
      secret: 'correct-horse',
      services: [
        {
          serviceName: 'dns',
          namespaceUid: 'ns-1',
          clusterUid: 'cluster-a',
          options: { retentionPeriodDays: 7, denyExternalCleanup: true },
        },
        { serviceName: 'dns', namespaceUid: 'ns-9', clusterUid: 'cluster-b', options: PLAIN },
      ],
    });
  });

  test('W-22 writes addresses in one form', () => {
    expect(claimAt(3)?.claim.address).toBe('2001:db8::a');
  });

  test.each([
    [4, '2100-01-01T00:00:00.000Z'],
    [5, '2100-01-01T00:00:00.000Z'],
  ])('keeps the end of a retention on line %d, in both forms of a date', (line, expiresAt) => {
    expect(claimAt(line)?.claim.services).toEqual([expect.objectContaining({ expiresAt })]);
  });

  test('drops a service that has expired, and says so', () => {
    expect(claimAt(5)?.notes).toEqual(['"over" of namespace "ns-1" had expired']);
  });

  test('W-21 takes an address without a length as one address', () => {
    expect(claimAt(6)?.claim.address).toBe('10.1.0.14');
  });

  test('makes a negative retention 0 days, and says so', () => {
    expect(claimAt(7)?.claim.services).toEqual([expect.objectContaining({ options: PLAIN })]);
    expect(claimAt(7)?.notes).toEqual(['the negative retention of "negative" of namespace "ns-1" became 0 days']);
  });

  test('keeps the later of two entries for one service', () => {
    expect(claimAt(27)?.claim.services.map(({ options }) => options.retentionPeriodDays)).toEqual([2]);
  });

  test('W-09 puts the services of two records with one address and secret together', () => {
    expect(claimAt(15)?.claim.services.map(({ serviceName }) => serviceName)).toEqual(['first', 'second']);
    expect(claimAt(15)?.notes).toEqual(['line 16 has the same address and secret; their services were put together']);
  });

  test('W-09 prefers the record with a live service where secrets differ', () => {
    expect(claimAt(18)?.claim.secret).toBe('present-owner');
    expect(leftAt(17)).toBe('refused: line 18 has the same address with another secret and a live service');
  });

  test.each([
    ['W-07 leaves out a ghost', 8, 'left-out: a ghost'],
    ['W-21 refuses a whole network', 9, 'refused: '],
    ['W-10 refuses a secret that is too short', 10, 'refused: the secret has 4 characters; 8 to 64 are allowed'],
    ['W-08 refuses a secret of another key', 11, 'refused: its secret cannot be decrypted'],
    ['leaves out an empty list', 12, 'left-out: no service holds the address'],
    ['leaves out a record without services', 13, 'left-out: no service holds the address'],
    ['leaves out a record whose services expired', 14, 'left-out: no service holds the address'],
    ['W-09 refuses two live owners', 19, 'refused: several records with different secrets'],
    ['W-09 refuses the other one too', 20, 'refused: several records with different secrets'],
    ['refuses a wrong family', 23, 'refused: its ip_family is "ipv6", not "ipv4"'],
    ['refuses a retention above the limit', 24, 'refused: the retention of "too-long"'],
    ['refuses a service without a name', 25, 'refused: a service has no name'],
    ['refuses a date that is none', 26, 'refused: expires_at of "bad-date" is no date'],
    ['refuses a prefix without an address', 28, 'refused: it has no address, but a NetBox prefix'],
    ['refuses a record without zone', 29, 'refused: it names no zone'],
    ['refuses a line that is cut off', 30, 'refused: the line is no JSON document'],
  ])('%s', (_title, line, text) => {
    expect(leftAt(line)).toContain(text);
  });

  test.each([
    ['a zone on two lines', { zone: 'a\nb' }, 'its zone is no name of 1 to 253 characters on one line'],
    ['a long zone', { zone: 'z'.repeat(254) }, 'its zone is no name of 1 to 253 characters on one line'],
    [
      'half a character',
      { services: [{ service_name: '\ud800', namespace_id: 'ns-1', cluster_id: 'c' }] },
      'a service has no name, namespace or cluster of 1 to 253 characters on one line',
    ],
    [
      'a date beyond all dates',
      {
        services: [
          { service_name: 'web', namespace_id: 'ns-1', cluster_id: 'c', expires_at: { $date: 253402300800000 } },
        ],
      },
      'expires_at of "web" is no date',
    ],
  ])('refuses %s for its record alone, since version 3 would refuse the whole import', (_name, change, problem) => {
    const [first = '', second = ''] = TEXT.split('\n');
    const odd = JSON.stringify({ ...(JSON.parse(first) as object), ...change });
    const { claims, left } = dumped(`${odd}\n${second}\n`);
    expect(claims.map(({ line }) => line)).toEqual([2]);
    expect(left).toEqual([expect.objectContaining({ line: 1, verdict: 'refused', problem })]);
  });

  test('reads one JSON list as well', () => {
    const lines = TEXT.trim().split('\n').slice(0, 7);
    expect(dumped(`[${lines.join(',\n')}]`).claims).toEqual(dumped(lines.join('\n')).claims);
  });

  test('reads a dump that begins with a byte order mark', () => {
    expect(dumped(`\u{feff}${TEXT}`)).toEqual(dumped());
  });

  test('names no secret in any problem or note', () => {
    const { claims, left } = dumped();
    const told = JSON.stringify([left, claims.map(({ notes }) => notes)]);
    for (const secret of ['correct-horse', 'four', '-owner', '-says']) expect(told).not.toContain(secret);
  });
});

describe('openOldSecrets', () => {
  test.each([
    ['no JSON', 'nonsense'],
    ['a short key', '{"enc_key":"short","enc_iv":"sixteen-bytes-iv"}'],
    ['no key', '{"enc_iv":"sixteen-bytes-iv"}'],
    ['a short counter block', '{"enc_key":"0123456789abcdef","enc_iv":"short"}'],
  ])('refuses a key file with %s, without a piece of it', (_name, text) => {
    const opened = openOldSecrets(text);
    expect(opened.ok).toBe(false);
    expect(JSON.stringify(opened)).not.toMatch(/sixteen|short"|nonsense/u);
  });

  test.each([16, 24, 32])('reads keys of %d characters', (length) => {
    expect(openOldSecrets(JSON.stringify({ enc_key: 'k'.repeat(length), enc_iv: 'i'.repeat(16) })).ok).toBe(true);
  });
});
