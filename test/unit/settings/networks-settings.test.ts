import { parseSettings } from '../../../operator/settings/parse-settings';

const parse = (...argv: string[]) => parseSettings({ argv, env: {} });
const problems = (...argv: string[]): readonly string[] => {
  const parsed = parse(...argv);
  return parsed.ok ? [] : parsed.problems.map(({ message }) => message);
};

describe('settings of the Networks door', () => {
  test('are off by default, with the grace of the other doors', () => {
    const parsed = parse();
    expect(parsed).toMatchObject({ ok: true, value: { networks: false, networksOrphanGraceSeconds: 300 } });
  });

  test('of the gRPC API: it does not listen; where it does, over TLS and to tokens of an audience of its own', () => {
    expect(parse()).toMatchObject({
      ok: true,
      value: {
        networksGrpcTls: true,
        networksGrpcAnonymous: false,
        networksGrpcAudience: 'ipam.vitistack.io',
        networksGrpcBindAddress: undefined,
      },
    });
    const all = ['--networks-grpc-anonymous', '--networks-grpc-tls=false', '--networks-grpc-audience='];
    expect(problems('--networks', '--networks-grpc-bind-address=:9999', ...all)).toEqual([]);
  });

  test.each([
    [['--networks', '--services=false']],
    [['--networks', '--services=false', '--store=objects']],
    [['--networks', '--services=false', '--store=objects', '--replicas=2']],
    [['--networks', '--vips', '--services=false', '--store=objects']],
    [['--networks', '--vips']],
  ])('let the door stand alone and beside others: %s', (argv) => {
    expect(problems(...argv)).toEqual([]);
  });

  test.each([
    [['--networks', '--standalone'], '--networks: needs a cluster, which keeps its prefixes as objects'],
    [['--networks', '--store=objects'], '--services: true is not possible with the store objects'],
    [
      ['--networks', '--services=false', '--store=objects', '--ipam-api-bind-address=:8443'],
      '--ipam-api-bind-address: has no effect with the store objects, which keeps no record of zones',
    ],
    [['--networks-grpc-bind-address=:9999'], '--networks-grpc-bind-address: needs --networks, whose record it serves'],
    [
      ['--networks', '--networks-grpc-bind-address=:9999', '--networks-grpc-audience='],
      '--networks-grpc-audience: must not be empty, or tokens for the API server itself would be taken',
    ],
    [['--networks-orphan-grace=0'], 'give whole seconds from 1 to 86400'],
  ])('refuse %s', (argv, message) => {
    expect(problems(...argv).join()).toContain(message);
  });
});
