import { ipamOperatorProblems, type IpamOperatorProps } from '../../../../../constructs';
import { secretFiles, settingsOf, synthesized, zones } from '../../../../support/operator-objects';

const token = { name: 'ipam-token' };

const EVENTS: Partial<IpamOperatorProps> = { cleanupEvents: { url: 'https://events.example/stream' } };

/** Props as plain JavaScript or YAML may give them, past the types. */
const untyped = (props: unknown): Partial<IpamOperatorProps> => props as Partial<IpamOperatorProps>;

const messagesOf = (props: Partial<IpamOperatorProps>): readonly string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

describe('cleanupEvents', () => {
  test('reads a stream without a login, or with the token and CA of Secrets', () => {
    expect(settingsOf(synthesized(EVENTS))).toMatchObject({
      cleanupEventsUrl: 'https://events.example/stream',
      cleanupEventsTokenFile: '',
    });
    const told = synthesized({ cleanupEvents: { url: 'https://events.example', token, ca: { name: 'corp' } } });
    expect(settingsOf(told)).toMatchObject({
      cleanupEventsTokenFile: '/etc/ipam-cleanup-events/token/token',
      cleanupEventsCaFile: '/etc/ipam-cleanup-events/ca/ca.crt',
    });
    expect(Object.values(secretFiles(told))).toEqual(['ipam-token/token', 'corp/ca.crt']);
  });
});

describe('splunk', () => {
  test('gets the log with the token of a Secret', () => {
    const objects = synthesized({
      splunk: {
        url: 'https://splunk.example',
        token,
        ca: { name: 'corp' },
        index: 'net',
        source: 's',
        sourcetype: 't',
      },
    });
    expect(settingsOf(objects)).toMatchObject({
      splunkUrl: 'https://splunk.example',
      splunkTokenFile: '/etc/ipam-splunk/token/token',
      splunkCaFile: '/etc/ipam-splunk/ca/ca.crt',
      splunkIndex: 'net',
      splunkSource: 's',
      splunkSourcetype: 't',
    });
  });
});

describe('ipamOperatorProblems', () => {
  test.each([
    [
      'a stream of events in the clear',
      { cleanupEvents: { url: 'http://events.example' } },
      'cleanupEvents.url: "http://events.example" is not a URL with https://, nor with http:// on this very machine',
    ],
    [
      'Splunk without a token',
      untyped({ splunk: { url: 'https://splunk.example' } }),
      'splunk.url needs splunk.token, which is not set',
    ],
    [
      'networks of a server that is not there',
      { networkPolicy: { splunkCidrs: ['10.0.0.0/8'] } },
      'networkPolicy.splunkCidrs: has no effect without splunk; leave one of the two out',
    ],
  ] as readonly (readonly [string, Partial<IpamOperatorProps>, string])[])('refuses %s', (_what, props, message) => {
    expect(messagesOf(props)).toEqual([message]);
  });
});
