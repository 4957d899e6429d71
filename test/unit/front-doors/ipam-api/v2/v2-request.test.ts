import { addressOf } from '../../../../../operator/addressing/address';
import type { RegisterBody } from '../../../../../operator/contract/ipam-api/v2';
import { registerIntent, releaseIntent } from '../../../../../operator/front-doors/ipam-api/v2/v2-request';

const body: RegisterBody = {
  secret: 'correct-horse',
  zone: 'inet',
  ip_family: 'ipv4',
  service: { service_name: 'web', namespace_id: 'ns-1', cluster_id: 'cluster-1' },
};
const reserve = {
  claimant: { service: { serviceName: 'web', namespaceUid: 'ns-1', clusterUid: 'cluster-1' }, namespace: '' },
  zone: 'inet',
  family: 4,
  secret: { value: 'correct-horse', scope: 'shared' },
  options: { retentionPeriodDays: 0, denyExternalCleanup: false },
  writtenKeys: [],
  as: 'bound',
};

describe('registerIntent', () => {
  test('asks for any address, owned at once', () => {
    expect(registerIntent(body)).toEqual({ ok: true, value: { reserve } });
  });

  test('asks for the address that is named', () => {
    const named = registerIntent({ ...body, address: '83.118.168.1/32' });
    expect(named).toEqual({ ok: true, value: { reserve: { ...reserve, wish: addressOf('83.118.168.1') } } });
  });

  test('asks for a new secret only when it differs', () => {
    const outcomes = ['correct-horse', 'battery-staple'].map((next) => registerIntent({ ...body, new_secret: next }));
    expect(outcomes.map((outcome) => outcome.ok && outcome.value.newSecret)).toEqual([
      undefined,
      { value: 'battery-staple', scope: 'shared' },
    ]);
  });

  test.each([
    ['83.118.168.0/24', 'prefix/not-a-host'],
    ['83.118.168.1/33', 'prefix/malformed'],
    ['83.118.168.01', 'address/malformed'],
    ['2a05:1234::1', 'address/wrong-family'],
    [' 83.118.168.1', 'address/malformed'],
  ])('W-21 refuses %s with %s', (address, code) => {
    expect(registerIntent({ ...body, address })).toMatchObject({ ok: false, refusal: { code } });
  });

  test('names both sides when address and family disagree', () => {
    const outcome = registerIntent({ ...body, address: '2a05:1234::1/128' });
    expect(outcome.ok ? '' : outcome.refusal.message).toBe(
      'address "2a05:1234::1/128" is IPv6, but "ip_family" is "ipv4"; make both agree',
    );
  });
});

describe('releaseIntent', () => {
  test('W-22 names the address by value, with the options of the request', () => {
    const outcome = releaseIntent({
      ...body,
      ip_family: 'ipv6',
      address: '2A05:1234:0::1/128',
      service: { ...body.service, retention_period_days: 7, deny_external_cleanup: true },
    });
    expect(outcome).toEqual({
      ok: true,
      value: {
        zone: 'inet',
        family: 6,
        address: addressOf('2a05:1234::1'),
        service: reserve.claimant.service,
        secret: 'correct-horse',
        options: { retentionPeriodDays: 7, denyExternalCleanup: true },
      },
    });
  });
});
