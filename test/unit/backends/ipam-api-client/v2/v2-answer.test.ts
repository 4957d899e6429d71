import { addressOf } from '../../../../../operator/addressing/address';
import { understand } from '../../../../../operator/backends/ipam-api-client/v2/v2-answer';
import { VITISTACK_FAULTS } from '../../../../support/fake-vitistack-api';
import type { V2Call, V2Result } from '../../../../../operator/backends/ipam-api-client/v2/v2-call';

const SECRET = 'correct-horse-battery';
const call: V2Call = {
  secret: SECRET,
  zone: 'inet',
  family: 4,
  service: { serviceName: 'web', namespaceUid: 'n', clusterUid: 'c' },
  options: { retentionPeriodDays: 0, denyExternalCleanup: false },
};
const named: V2Call = { ...call, address: addressOf('83.118.168.9') };
const json = (body: object): string => JSON.stringify(body);

/** Status and body of a fault of the original. */
function original({ status, body }: { readonly status: number; readonly body: string }): readonly [number, string] {
  return [status, body];
}

/** Tells the result of a call in two words. */
function told(result: V2Result): string {
  if (result.as === 'done') return `done ${result.address?.toString() ?? ''}`;
  return result.as === 'refused' ? `refused ${result.refusal.code}` : `failed ${result.doubt}`;
}

describe('understand', () => {
  test.each([
    [
      'a success',
      200,
      json({ message: 'Address registered successfully', address: '83.118.168.7/32' }),
      'done 83.118.168.7',
    ],
    [
      'EXT-07 a mask that is not that of a host',
      201,
      json({ message: 'x', address: '192.0.2.5/24' }),
      'done 192.0.2.5',
    ],
    ['a success without an address', 200, json({ message: 'x' }), 'failed done'],
    ['an address of the other family', 200, json({ address: '2a05:1234::1/128' }), 'failed done'],
    ['the welcome page, so a wrong URL', 200, '<!DOCTYPE html><html>', 'failed no'],
    ['success with nothing', 200, '', 'failed running'],
    ['EXT-04 a full zone as 204', 204, '', 'refused pool/exhausted'],
    ['EXT-04 a full zone as 404', 404, json({ message: 'none' }), 'refused pool/exhausted'],
    ['EXT-04 a full zone as 409', 409, json({ message: 'none' }), 'refused pool/exhausted'],
    ['EXT-04 a full zone as 500', 500, json({ message: 'no available prefixes' }), 'refused pool/exhausted'],
    ['FU-40 NetBox away at the list of zones', ...original(VITISTACK_FAULTS.zonesUnread), 'failed no'],
    ['FU-40 the containers of a zone unread', ...original(VITISTACK_FAULTS.containersUnread), 'failed no'],
    ['FU-40 a zone that it does not list', ...original(VITISTACK_FAULTS.zoneUnlisted), 'refused claim/invalid'],
    ['FU-40 its database away', ...original(VITISTACK_FAULTS.registerFailed), 'failed done'],
    ['FU-40 its handler fallen over', ...original(VITISTACK_FAULTS.panicked), 'failed done'],
    ['FU-40 text that is no address', 400, json({ message: 'invalid IP address format' }), 'refused claim/invalid'],
    [
      'FU-40 an unknown zone beside one that is called as NetBox',
      400,
      json({ message: "invalid zone 'x', must be one of: netbox" }),
      'refused claim/invalid',
    ],
    [
      'FU-40 a full zone that is called as NetBox',
      500,
      json({ message: 'Could not register address: no available prefix found for zone netbox' }),
      'refused pool/exhausted',
    ],
    ['EXT-04 502 with a page of the proxy', 502, '<html>bad gateway</html>', 'failed cut'],
    ['EXT-04 401', 401, json({ error: 'token' }), 'refused api/anonymous'],
    ['a gateway that gave up', 504, '<html>', 'failed running'],
    ['a handler that fell over', 500, '', 'failed done'],
    ['a mistake of ours', 400, json({ message: "failed on the 'min' tag" }), 'refused claim/invalid'],
    ['W-38 NetBox away behind 400', 400, json({ message: 'Get "https://netbox": dial tcp: timeout' }), 'failed done'],
    ['an error of NetBox behind 500', 500, json({ message: 'netbox says: no free connection' }), 'failed done'],
    ['a refusal of our own server', 422, json({ code: 'zone/unknown', message: 'm' }), 'refused zone/unknown'],
    ['our own server in want of time', 503, json({ code: 'store/deadline', message: 'm' }), 'failed running'],
    ['our own server without its store', 503, json({ code: 'store/unavailable', message: 'm' }), 'failed done'],
  ])('takes %s for what it is', (...[, status, body, expected]) => {
    expect(told(understand('register', call, { status, body }))).toBe(expected);
  });

  test.each([
    ['a secret that owns nothing', 500, json({ message: 'no match' }), 'refused secret/wrong'],
    ['FU-40 a secret that is another one', ...original(VITISTACK_FAULTS.secretMismatch), 'refused secret/wrong'],
    [
      'an address outside of the zone',
      500,
      json({ message: 'outside of the containers' }),
      'refused address/outside-zone',
    ],
    ['a rotation while others share', 500, json({ message: 'several services share it' }), 'refused secret/shared'],
    ['another address than asked for', 200, json({ address: '83.118.168.8/32' }), 'failed done'],
    ['somebody else of our own server', 409, json({ code: 'address/held', message: 'm' }), 'refused secret/wrong'],
  ])('takes %s for what it is when an address was named', (...[, status, body, expected]) => {
    expect(told(understand('register', named, { status, body }))).toBe(expected);
  });

  test.each([
    ['a success without an address', 200, json({ message: 'x' }), 'done '],
    ['404, which it may say for anything', 404, json({ message: 'database away' }), 'refused claim/not-found'],
    ['400', 400, json({ message: 'zone' }), 'failed done'],
    ['the welcome page', 200, '<html>', 'failed no'],
  ])('takes %s for what it is when something is released', (...[, status, body, expected]) => {
    expect(told(understand('release', named, { status, body }))).toBe(expected);
  });

  test('EXT-04 waits as long as 429 says', () => {
    const result = understand('register', call, { status: 429, body: 'slow down', retryAfterMs: 20_000 });
    expect(result).toMatchObject({ as: 'failed', doubt: 'no', refusal: { retryAfterSeconds: 20 } });
  });

  test('never repeats a secret that an answer holds, nor more than a line', () => {
    const body = json({ message: `prefix for ${SECRET}\nfailed ${'x'.repeat(999)}` });
    const result = understand('register', { ...call, newSecret: 'another-secret' }, { status: 500, body });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(result.as === 'failed' ? result.refusal.message : '').toMatch(/^[^\n]{1,260}$/u);
  });
});
