import { trimmedService, withoutManagedFields } from '../../../../operator/cluster/watch/trimmed';

const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];

describe('trimmedService', () => {
  test('keeps spec, status, labels and the annotations of ours and of other load balancers, and changes nothing of the given one', () => {
    const annotations = {
      'ipam.vitistack.io/addresses': '10.0.0.1',
      'metallb.io/loadBalancerIPs': '10.0.0.1',
      'metallb.universe.tf/address-pool': 'p',
      'lbipam.cilium.io/ips': '10.0.0.1',
      'eip.openelb.kubesphere.io/v1alpha2': 'p',
      'kubectl.kubernetes.io/last-applied-configuration': '{"a":"long one"}',
    };
    const labels = { app: 'a' };
    const service = { metadata: { name: 's', uid: 'u', labels, managedFields, annotations }, spec: { ports: [] } };
    const copy = structuredClone(service);
    const { 'kubectl.kubernetes.io/last-applied-configuration': _copy, ...read } = annotations;

    expect(trimmedService(service)).toEqual({
      metadata: { name: 's', uid: 'u', labels, annotations: read },
      spec: { ports: [] },
    });
    expect(service).toEqual(copy);
  });

  test('keeps no empty annotations', () => {
    expect(trimmedService({ metadata: { name: 's', annotations: { other: 'x' } } })).toEqual({
      metadata: { name: 's' },
    });
  });

  test.each([{}, { metadata: null }, { metadata: { name: 's' } }])('takes %j as it is', (service) => {
    expect(trimmedService(service)).toEqual(service);
  });
});

describe('withoutManagedFields', () => {
  test('drops them and nothing else', () => {
    const annotations = { other: 'x' };

    expect(withoutManagedFields({ metadata: { name: 's', managedFields, annotations }, spec: {} })).toEqual({
      metadata: { name: 's', annotations },
      spec: {},
    });
  });
});
