import { Chart, Testing } from 'cdk8s';
import { parse } from 'yaml';

import { IpamService } from '../../../../constructs';

const texts = [
  'yes',
  'no',
  'on',
  '012',
  '1e3',
  '1:20',
  '1:2:3:4:5:6:7:8',
  'true',
  '10',
  '2001:db8::',
  '::',
  'fd20:2001:1::',
];

function written(): string {
  const app = Testing.app();
  const chart = new Chart(app, 'chart');
  new IpamService(chart, 'texts', {
    ports: [{ port: 80 }],
    annotations: Object.fromEntries(texts.map((text, i) => [`example.com/a${String(i)}`, text])),
  });
  new IpamService(chart, 'numbers', {
    ports: [{ port: 80 }],
    annotations: { 'example.com/a0': 10, 'example.com/a1': true },
    addresses: ['2001:db8::'],
    ipFamily: 'ipv6',
    retentionPeriodDays: 10,
    denyExternalCleanup: true,
    allowLocalSharedIp: '1:20',
  });
  return app.synthYaml();
}

interface Read {
  readonly metadata: { readonly annotations: Readonly<Record<string, unknown>> };
}

describe('the YAML of an IpamService', () => {
  const [first = '', second = ''] = written().split('---\n');

  test.each(['1.1', '1.2'] as const)('CDK-01 gives a YAML %s reader the identical texts', (version) => {
    const { annotations } = (parse(first, { version }) as Read).metadata;
    expect(texts.map((_text, i) => annotations[`example.com/a${String(i)}`])).toEqual(texts);
  });

  test.each(['1.1', '1.2'] as const)(
    'CDK-01 makes texts of typed numbers and booleans for a YAML %s reader',
    (version) => {
      expect((parse(second, { version }) as Read).metadata.annotations).toEqual({
        'example.com/a0': '10',
        'example.com/a1': 'true',
        'ipam.vitistack.io/addresses': '2001:db8::',
        'ipam.vitistack.io/ip-family': 'ipv6',
        'ipam.vitistack.io/retention-period-days': '10',
        'ipam.vitistack.io/deny-external-cleanup': 'true',
        'ipam.vitistack.io/allow-local-shared-ip': '1:20',
      });
    },
  );
});
