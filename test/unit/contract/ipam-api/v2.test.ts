import { parseRegisterBody, parseReleaseBody } from '../../../../operator/contract/ipam-api/v2';
import type { Outcome } from '../../../../operator/errors/outcome';

const service = { service_name: 'web', namespace_id: 'ns-1', cluster_id: 'cluster-1' };
const body = { secret: 'correct-horse', zone: 'inet', ip_family: 'ipv4', service };
const messageOf = (outcome: Outcome<unknown>): string => (outcome.ok ? '' : outcome.refusal.message);

describe('parseRegisterBody', () => {
  test('takes a body without the members that may be left out', () => {
    expect(parseRegisterBody(body)).toEqual({ ok: true, value: body });
  });

  test.each([
    ['empty text', ''],
    ['null', null],
  ])('takes %s for "not given" where a member may be left out', (_name, value) => {
    expect(parseRegisterBody({ ...body, address: value, new_secret: value })).toEqual({ ok: true, value: body });
  });

  test('keeps zero options', () => {
    const zero = { ...service, retention_period_days: 0, deny_external_cleanup: false };
    expect(parseRegisterBody({ ...body, service: zero })).toEqual({ ok: true, value: { ...body, service: zero } });
  });

  test('drops unknown members at both levels', () => {
    const more = { ...body, color: 'red', service: { ...service, expires_at: '2030-01-01' } };
    expect(parseRegisterBody(more)).toEqual({ ok: true, value: body });
  });

  test('matches names in any case', () => {
    const { secret, ...rest } = body;
    expect(parseRegisterBody({ ...rest, SeCrEt: secret })).toEqual({ ok: true, value: body });
  });

  test.each([
    ['secret', { ...body, Secret: 'battery-staple' }],
    ['service.cluster_id', { ...body, service: { ...service, Cluster_ID: 'cluster-2' } }],
  ])('refuses %s twice in different case', (path, twice) => {
    expect(messageOf(parseRegisterBody(twice))).toBe(
      `"${path}" is given more than once in different case; give it once`,
    );
  });

  test.each([8, 64])('W-10 counts a secret of %i characters, not of bytes or UTF-16 units', (length) => {
    const secret = '😀'.repeat(length);
    expect(parseRegisterBody({ ...body, secret, new_secret: secret }).ok).toBe(true);
  });

  test.each([7, 65])('W-10 refuses secret and new secret of %i characters by one rule', (length) => {
    const secret = '😀'.repeat(length);
    const form = `${length} characters long; give a text of 8 to 64 characters`;
    expect(messageOf(parseRegisterBody({ ...body, secret, new_secret: secret }))).toBe(
      `"secret" is ${form}; "new_secret" is ${form}`,
    );
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no zone', { zone: undefined }, '"zone" is missing; give a text of 1 to 253 characters on one line'],
    ['an empty zone', { zone: '' }, '"zone" is ""; give a text of 1 to 253 characters on one line'],
    ['a zone on two lines', { zone: 'a\nb' }, '"zone" is "a\\nb"; give a text of 1 to 253 characters on one line'],
    ['half a character', { zone: '\ud800' }, '"zone" is "\\ud800"; give a text of 1 to 253 characters on one line'],
    [
      'half a character in a secret',
      { secret: `${'a'.repeat(8)}\udc00` },
      '"secret" is not a text of whole characters; give a text of 8 to 64 characters',
    ],
    [
      'a long zone',
      { zone: 'z'.repeat(300) },
      `"zone" is "${'z'.repeat(80)}…"; give a text of 1 to 253 characters on one line`,
    ],
    ['another family', { ip_family: 'IPv4' }, '"ip_family" is "IPv4"; give "ipv4" or "ipv6"'],
    ['a number as family', { ip_family: 4 }, '"ip_family" is 4; give "ipv4" or "ipv6"'],
    [
      'no service',
      { service: undefined },
      '"service" is missing; give an object with service_name, namespace_id and cluster_id',
    ],
    [
      'a list as service',
      { service: [] },
      '"service" is a list; give an object with service_name, namespace_id and cluster_id',
    ],
    [
      'a service without cluster',
      { service: { ...service, cluster_id: '' } },
      '"service.cluster_id" is ""; give a text of 1 to 253 characters on one line',
    ],
    [
      'a negative retention',
      { service: { ...service, retention_period_days: -1 } },
      '"service.retention_period_days" is -1; give whole days from 0 to 30',
    ],
    [
      'a retention above 30',
      { service: { ...service, retention_period_days: 31 } },
      '"service.retention_period_days" is 31; give whole days from 0 to 30',
    ],
    [
      'half a day',
      { service: { ...service, retention_period_days: 0.5 } },
      '"service.retention_period_days" is 0.5; give whole days from 0 to 30',
    ],
    [
      'a retention as text',
      { service: { ...service, retention_period_days: '7' } },
      '"service.retention_period_days" is "7"; give whole days from 0 to 30',
    ],
    [
      'a flag as text',
      { service: { ...service, deny_external_cleanup: 'true' } },
      '"service.deny_external_cleanup" is "true"; give true or false',
    ],
    [
      'an object as secret',
      { secret: { a: 'correct-horse' } },
      '"secret" is not a text; give a text of 8 to 64 characters',
    ],
  ])('refuses %s', (_name, change, message) => {
    const outcome = parseRegisterBody(JSON.parse(JSON.stringify({ ...body, ...change })));
    expect(outcome).toEqual({ ok: false, refusal: { code: 'api/malformed', message } });
  });

  test.each([[null], [[]], ['text'], [7], [undefined]])('refuses %j, which is no object', (value) => {
    expect(messageOf(parseRegisterBody(value))).toBe('the body is not a JSON object; send one');
  });
});

describe('parseReleaseBody', () => {
  test('takes a body with an address', () => {
    const release = { ...body, address: '83.118.168.1/32' };
    expect(parseReleaseBody(release)).toEqual({ ok: true, value: release });
  });

  test('needs the address', () => {
    expect(messageOf(parseReleaseBody({ ...body, address: '' }))).toContain('"address" is missing');
  });

  test('ignores a new secret, of any length', () => {
    expect(parseReleaseBody({ ...body, address: '83.118.168.1', new_secret: 'x' }).ok).toBe(true);
  });
});
