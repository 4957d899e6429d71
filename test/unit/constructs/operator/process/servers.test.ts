import { ipamOperatorProblems, type IpamOperatorProps } from '../../../../../constructs';
import { one, podOf, synthesized, zones } from '../../../../support/operator-objects';

const token = { name: 'ipam-token' };

const NETBOX: Partial<IpamOperatorProps> = {
  netbox: { url: 'https://netbox.example:8443', token },
  zonePools: 'claims',
};

const EVENTS: Partial<IpamOperatorProps> = { cleanupEvents: { url: 'https://events.example/stream' } };

const SPLUNK: Partial<IpamOperatorProps> = { splunk: { url: 'https://splunk.example:8088', token } };

const messagesOf = (props: Partial<IpamOperatorProps>): readonly string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

const egressOf = (props: Partial<IpamOperatorProps>): unknown =>
  one(synthesized(props), 'NetworkPolicy')['spec']!['egress']!.slice(2);

test('servers beside the operator come after the store, each with a rule of its own', () => {
  const store = { postgres: { connection: { name: 'ipam-postgres' } } };
  const props = { ...NETBOX, ...EVENTS, ...SPLUNK, store };
  expect(messagesOf(props)).toEqual([]);
  expect(egressOf(props)).toEqual([5432, 8443, 443, 8088].map((port) => ({ ports: [{ protocol: 'TCP', port }] })));
  const volumes = podOf(synthesized(props))['volumes']!.map((volume) => String(volume['name']));
  expect(new Set(volumes).size).toBe(volumes.length);
});
