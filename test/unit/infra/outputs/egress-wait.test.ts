import { awaitingEgress, egressAddresses } from '../../../../infra/outputs/egress-wait';
import { EGRESS_KEYS } from '../../../../operator/contract/egress';

const namespace = (annotations: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', annotations },
});

describe('awaitingEgress', () => {
  test('waits for the list of a Namespace, or for nothing', () => {
    expect(awaitingEgress(namespace(), true).metadata).toMatchObject({
      annotations: {
        'pulumi.com/waitFor':
          "jsonpath={$[?@.annotations&&@.annotations['egressip-ipam-operator.redhat-cop.io/egressips']]}",
      },
    });
    expect(awaitingEgress(namespace(), false).metadata).toMatchObject({
      annotations: { 'pulumi.com/skipAwait': 'true' },
    });
  });

  test('leaves a Namespace that says itself how to wait, and every other object', () => {
    const told = namespace({ 'pulumi.com/skipAwait': 'true' });
    expect(awaitingEgress(told, true)).toBe(told);
    const service = { ...namespace(), kind: 'Service' };
    expect(awaitingEgress(service, true)).toBe(service);
  });
});

describe('egressAddresses', () => {
  test.each([
    ['10.0.0.1,10.1.0.1', ['10.0.0.1', '10.1.0.1']],
    ['2001:DB8::1 , 10.0.0.1', ['2001:db8::1', '10.0.0.1']],
    ['', []],
    ['web', []],
  ])('reads "%s"', (list, addresses) => {
    expect(egressAddresses({ metadata: { annotations: { [EGRESS_KEYS.addresses]: list } } })).toEqual(addresses);
  });

  test('finds none where there is nothing to read', () => {
    expect(egressAddresses({})).toEqual([]);
  });
});
