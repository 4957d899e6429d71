import { WEBHOOK_TIMEOUT_SECONDS } from '../../../operator/contract/group';
import { helpText } from '../../../operator/settings/help-text';
import type { Option } from '../../../operator/settings/option';
import { OPTIONS, type Settings } from '../../../operator/settings/options';
import { optionsTable } from '../../support/options-table';
import { parseSettings } from '../../../operator/settings/parse-settings';

const settingsOf = (argv: readonly string[], env: Record<string, string> = {}): Settings => {
  const parsed = parseSettings({ argv, env });
  if (!parsed.ok) throw new RangeError(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.value;
};

const problemsOf = (argv: readonly string[], env: Record<string, string> = {}) => {
  const parsed = parseSettings({ argv, env });
  return parsed.ok ? [] : parsed.problems;
};

const REMOTE = ['--store=remote', '--ipam-api-url=https://ipam.example', '--ipam-api-login-cert-path=/cert'];

describe('parseSettings', () => {
  test('gives every option its default when nothing is set', () => {
    expect(settingsOf([])).toMatchObject({
      standalone: false,
      store: 'sqlite',
      webhookBindAddress: { host: '', port: 9443 },
      healthProbeBindAddress: { host: '', port: 8081 },
      metricsBindAddress: undefined,
      ipamApiBindAddress: undefined,
      whenUnavailable: 'deny',
      zonePools: 'prefixes',
      reservationLeaseSeconds: 300,
      clusterId: '',
      historyDays: 365,
      recoverableSecrets: false,
      maxReservationsPerNamespace: 64,
      loadBalancerClasses: [],
      clusterFamilies: ['ipv4'],
      allowAnonymousV2: false,
    });
  });

  test('knows every option of the declaration and no other', () => {
    expect(Object.keys(settingsOf([])).sort()).toEqual(Object.keys(OPTIONS).sort());
  });

  test('freezes the settings and what they hold', () => {
    const settings = settingsOf(['--load-balancer-classes=a,b']);
    expect([settings, settings.loadBalancerClasses, settings.webhookBindAddress].every(Object.isFrozen)).toBe(true);
  });

  test.each<[string, string[], Partial<Settings>]>([
    ['a value after "="', ['--store=memory'], { store: 'memory' }],
    ['a value as next argument', ['--store', 'memory'], { store: 'memory' }],
    ['a switch without value', ['--standalone'], { standalone: true }],
    ['a switch with false', ['--ipam-api-tls=false'], { ipamApiTls: false }],
    ['a switch with its value as next argument', ['--ipam-api-tls', 'false'], { ipamApiTls: false }],
    ['a switch before another option', ['--standalone', '--store', 'memory'], { standalone: true, store: 'memory' }],
    ['a list with blanks', ['--load-balancer-classes=a/b, c'], { loadBalancerClasses: ['a/b', 'c'] }],
    [
      'three processes on one PostgreSQL',
      ['--store=postgres', '--postgres-dsn-file=/dsn', '--replicas=3'],
      { store: 'postgres', postgresDsnFile: '/dsn', replicas: 3 },
    ],
    [
      'an IPAM-API of version 2 elsewhere',
      ['--store=remote', '--ipam-api-version=2', '--ipam-api-url=https://ipam.example'],
      { store: 'remote', ipamApiVersion: '2', ipamApiUrl: 'https://ipam.example' },
    ],
    ['an empty list', ['--load-balancer-classes='], { loadBalancerClasses: [] }],
    [
      'a listener on one host',
      ['--webhook-bind-address=127.0.0.1:0'],
      { webhookBindAddress: { host: '127.0.0.1', port: 0 } },
    ],
    [
      'a listener on an IPv6 host',
      ['--webhook-bind-address=[::1]:443'],
      { webhookBindAddress: { host: '::1', port: 443 } },
    ],
    [
      'a certificate of its own for metrics alone',
      [
        '--services=false',
        '--vips',
        '--store=objects',
        '--metrics-bind-address=:8443',
        '--self-signed-secret-name=mine',
      ],
      { metricsBindAddress: { host: '', port: 8443 }, metricsCertPath: '', selfSignedSecret: 'mine' },
    ],
    ['a listener that is off', ['--health-probe-bind-address=0'], { healthProbeBindAddress: undefined }],
    ['the last second of an interval', ['--admission-deadline=29'], { admissionDeadlineSeconds: 29 }],
    [
      'families, the primary one first',
      ['--standalone', '--cluster-families=ipv6,ipv4'],
      { clusterFamilies: ['ipv6', 'ipv4'] },
    ],
  ])('reads %s', (_name, argv, expected) => {
    expect(settingsOf(argv)).toMatchObject(expected);
  });

  test('reads the environment', () => {
    expect(settingsOf([], { IPAM_STORE: 'memory', IPAM_STANDALONE: 'true' })).toMatchObject({
      store: 'memory',
      standalone: true,
    });
  });

  test('prefers a flag to its variable', () => {
    expect(settingsOf(['--log-level=debug'], { IPAM_LOG_LEVEL: 'error' }).logLevel).toBe('debug');
  });

  test('takes an empty variable for one that is not set', () => {
    expect(settingsOf([], { IPAM_STORE: '' }).store).toBe('sqlite');
  });

  test('ignores variables that Kubernetes adds for a Service named ipam-api', () => {
    expect(
      parseSettings({ argv: [], env: { IPAM_API_PORT: 'tcp://10.0.0.1:80', IPAM_API_SERVICE_HOST: '10.0.0.1' } }).ok,
    ).toBe(true);
  });

  test.each<[string, string[], string, Record<string, string>?]>([
    [
      'several processes on one SQLite file',
      ['--replicas=2'],
      '--replicas: 2 is not possible with the SQLite store, whose file has one owner; leave it at 1',
    ],
    [
      'several processes that share no memory',
      ['--store=memory', '--replicas=2'],
      '--replicas: 2 is not possible with the store memory, which ends with its process; leave it at 1',
    ],
    [
      'PostgreSQL without a way to it',
      ['--store=postgres'],
      'the store postgres needs --postgres-dsn-file, which is not set',
    ],
    [
      'admitting without an address where the pools hold whole zones',
      ['--when-unavailable=admit'],
      '--when-unavailable=admit needs --zone-pools=claims, since MetalLB would give a Service that passed while the webhook was away any address of the pool that it names; set it, or leave deny',
    ],
    [
      'FU-43 the URL of an IPAM-API beside SQLite',
      ['--ipam-api-url=https://ipam.example'],
      '--ipam-api-url: has no effect with the store sqlite; leave it out, or set the store remote',
    ],
    [
      'FU-43 the URL of an IPAM-API beside PostgreSQL',
      ['--store=postgres', '--postgres-dsn-file=/run/dsn', '--ipam-api-url=https://ipam.example'],
      '--ipam-api-url: has no effect with the store postgres; leave it out, or set the store remote',
    ],
    [
      'FU-43 a login of an IPAM-API beside another store',
      ['--store=memory', '--ipam-api-token-file=/run/token'],
      '--ipam-api-token-file: has no effect with the store memory; leave it out, or set the store remote',
    ],
    ['a remote store without its URL', ['--store=remote'], 'the store remote needs --ipam-api-url, which is not set'],
    [
      'version 3 without a token',
      ['--store=remote', '--ipam-api-url=https://ipam.example'],
      'the store remote with version 3 of the IPAM-API needs --ipam-api-token-file or --ipam-api-login-cert-path, and neither is set',
    ],
    [
      'clean-up events where no record is kept',
      [...REMOTE, '--cleanup-events-url=https://events.example'],
      '--cleanup-events-url: there is no record here with --ipam-api-url; give it to the operator that keeps the record',
    ],
    [
      'a history where no record is kept',
      [...REMOTE, '--history-days=30'],
      '--history-days: has no effect here, since --ipam-api-url keeps the record; give it to the operator that keeps it',
    ],
    [
      'recoverable secrets where no record is kept, by version 2',
      ['--store=remote', '--ipam-api-url=https://a', '--ipam-api-version=2', '--recoverable-secrets'],
      '--recoverable-secrets: has no effect here, since --ipam-api-url keeps the record; give it to the operator that keeps it',
    ],
    [
      'clean-up events where no record is kept, by version 2',
      ['--store=remote', '--ipam-api-url=https://a', '--ipam-api-version=2', '--cleanup-events-url=https://b'],
      '--cleanup-events-url: there is no record here with --ipam-api-url; give it to the operator that keeps the record',
    ],
    [
      'an IPAM-API where no record is kept',
      [...REMOTE, '--ipam-api-bind-address=:9444'],
      '--ipam-api-bind-address: there is no store here to serve; give other clusters --ipam-api-url as well',
    ],
    [
      'a token for version 2, which knows no login',
      ['--store=remote', '--ipam-api-url=https://a', '--ipam-api-version=2', '--ipam-api-token-file=/token'],
      '--ipam-api-token-file: version 2 of the IPAM-API knows no login, so a token has no use; leave it out, or speak version 3',
    ],
    [
      'a URL with a login, without quoting it',
      ['--store=remote', '--ipam-api-version=2', '--ipam-api-url=https://me:hunter2@ipam.example'],
      '--ipam-api-url: a URL must not hold a login; give the token as a Secret',
    ],
    [
      'something else than a URL',
      ['--store=remote', '--ipam-api-version=2', '--ipam-api-url=ipam.example'],
      '--ipam-api-url: "ipam.example" is not a URL with https://',
    ],
    [
      'a URL with a query',
      ['--store=remote', '--ipam-api-version=2', '--ipam-api-url=https://ipam.example/?v=2'],
      '--ipam-api-url: "https://ipam.example/?v=2" has a query or fragment; give scheme, host and path only',
    ],
    [
      'Services of zones in objects',
      ['--store=objects', '--vips'],
      '--services: true is not possible with the store objects, which has no place for addresses of zones; give false, or take another store',
    ],
    [
      'an IPAM-API over objects',
      ['--store=objects', '--vips', '--services=false', '--ipam-api-bind-address=:8443'],
      '--ipam-api-bind-address: has no effect with the store objects, which keeps no record of zones; leave it out, or take another store',
    ],
    [
      'nothing over objects',
      ['--store=objects', '--services=false'],
      '--services: false leaves nothing to serve; switch a front door on, or set --ipam-api-bind-address',
    ],
    ['an unknown option', ['--stroe=memory'], 'option --stroe is not known; did you mean --store?'],
    ['an option like no other', ['--colour'], 'option --colour is not known; see --help for the list'],
    ['a word that is no option', ['serve'], 'the operator takes options only, no other words; see --help for the list'],
    [
      'an option without its value',
      ['--store'],
      '--store needs a value; give sqlite or memory or postgres or remote or objects',
    ],
    [
      'an option before another one',
      ['--store', '--standalone'],
      '--store needs a value; give sqlite or memory or postgres or remote or objects',
    ],
    ['an option twice', ['--store=memory', '--store=sqlite'], '--store is given more than once; give it once'],
    [
      'another choice',
      ['--store=mysql'],
      'value "mysql" of --store is not allowed; give sqlite or memory or postgres or remote or objects',
    ],
    [
      'a number that is too large',
      ['--admission-deadline=30'],
      'value "30" of --admission-deadline is not allowed; give whole seconds from 1 to 29',
    ],
    [
      'a number with a fraction',
      ['--reservation-lease=30.5'],
      'value "30.5" of --reservation-lease is not allowed; give whole seconds from 30 to 86400',
    ],
    [
      'a number with a unit',
      ['--reservation-lease=60s'],
      'value "60s" of --reservation-lease is not allowed; give whole seconds from 30 to 86400',
    ],
    [
      'a port that does not exist',
      ['--webhook-bind-address=:65536'],
      'value ":65536" of --webhook-bind-address is not allowed; give host:port or :port',
    ],
    [
      'a webhook that is off',
      ['--webhook-bind-address=0'],
      'value "0" of --webhook-bind-address is not allowed; give host:port or :port',
    ],
    [
      'a word of another set in a list',
      ['--standalone', '--cluster-families=ipv4,ipv5'],
      'value "ipv4,ipv5" of --cluster-families is not allowed; give ipv4 and ipv6, separated by commas, each at most once',
    ],
    [
      'a word twice in a list',
      ['--load-balancer-classes=a,a'],
      'value "a,a" of --load-balancer-classes is not allowed; give words, separated by commas, each at most once',
    ],
    [
      'a wrong variable, by its own name',
      [],
      'value "mysql" of IPAM_STORE is not allowed; give sqlite or memory or postgres or remote or objects',
      { IPAM_STORE: 'mysql' },
    ],
    [
      'families without --standalone',
      ['--cluster-families=ipv6'],
      '--cluster-families describes a simulated cluster; give it with --standalone only',
    ],
    [
      'no Services and no IPAM-API',
      ['--services=false'],
      '--services: false leaves nothing to serve; switch a front door on, or set --ipam-api-bind-address',
    ],
    [
      'a certificate for webhooks that are not there',
      ['--services=false', '--ipam-api-bind-address=:9444', '--self-signed-secret-name=mine'],
      '--self-signed-secret-name: its CA is for the webhooks, of which there are none with --services=false and without --egress, and for --metrics-bind-address without --metrics-cert-path; give --ipam-api-cert-path',
    ],
    [
      'a certificate of its own beside that of the metrics',
      [
        ...['--services=false', '--ipam-api-bind-address=:9444', '--self-signed-secret-name=mine'],
        ...['--metrics-bind-address=:8443', '--metrics-cert-path=/cert'],
      ],
      '--self-signed-secret-name: its CA is for the webhooks, of which there are none with --services=false and without --egress, and for --metrics-bind-address without --metrics-cert-path; give --ipam-api-cert-path',
    ],
    [
      'a path as file name',
      ['--webhook-cert-name=a/tls.crt'],
      'value "a/tls.crt" of --webhook-cert-name is not a file name; the folder belongs in --webhook-cert-path',
    ],
  ])('refuses %s', (...[, argv, message, env]) => {
    expect(problemsOf(argv, env)).toEqual([expect.objectContaining({ code: 'settings/invalid', message })]);
  });

  test('names all problems at once', () => {
    const problems = problemsOf(['--stroe=x', '--log-level=loud'], { IPAM_SHUTDOWN_DELAY: '-1' });
    expect(problems.map(({ field }) => field)).toEqual(['--stroe', 'IPAM_SHUTDOWN_DELAY', '--log-level']);
  });

  test('never repeats what stands behind an unknown option', () => {
    const problems = problemsOf(['--secret=correct-horse', 'correct-horse']);
    expect(problems).toHaveLength(2);
    expect(JSON.stringify(problems)).not.toContain('correct-horse');
  });
});

describe('OPTIONS', () => {
  const options: readonly Option[] = Object.values(OPTIONS);

  test('have flags and variables of one form, each once', () => {
    expect(options.filter(({ flag }) => !/^--[a-z0-9]+(-[a-z0-9]+)*$/.test(flag))).toEqual([]);
    expect(options.filter(({ env }) => !/^IPAM(_[A-Z0-9]+)+$/.test(env))).toEqual([]);
    expect(new Set(options.flatMap(({ flag, env }) => [flag, env])).size).toBe(options.length * 2);
  });

  test('take no secret, only the file or the name of one', () => {
    const secretive = options.filter(({ flag, type }) => type !== 'switch' && /secret|password|token|dsn/.test(flag));
    expect(secretive.filter(({ flag }) => !/-file$|-secret-name$/.test(flag))).toEqual([]);
  });

  test('have a help without a full stop', () => {
    expect(options.filter(({ help }) => help.endsWith('.'))).toEqual([]);
  });

  test('keep the admission deadline inside the time of the API server', () => {
    expect(OPTIONS.admissionDeadlineSeconds.max).toBeLessThan(WEBHOOK_TIMEOUT_SECONDS);
  });

  test('appear in the table of the README and in the help', () => {
    const [table, help] = [optionsTable(), helpText()];
    expect(options.filter(({ flag, env }) => !table.includes(`| \`${flag}\` | \`${env}\` |`))).toEqual([]);
    expect(options.filter(({ flag, env }) => !help.includes(flag) || !help.includes(`(${env})`))).toEqual([]);
  });
});

describe('settings of the cloud of egress addresses', () => {
  const on = ['--egress', '--services=false', '--store=objects'];

  test.each([
    ['no region', ['--egress-cloud=aws', '--egress-cloud-secret-name=login'], ['--egress-cloud-region']],
    ['no login', ['--egress-cloud=azure'], ['--egress-cloud-secret-name']],
    ['neither', ['--egress-cloud=aws'], ['--egress-cloud-region', '--egress-cloud-secret-name']],
    ['no login on Google Cloud', ['--egress-cloud=gcp'], []],
    ['everything', ['--egress-cloud=aws', '--egress-cloud-region=eu-west-1', '--egress-cloud-secret-name=login'], []],
  ])('name what is missing: %s', (_what, flags, fields) => {
    expect(problemsOf([...on, ...flags]).map(({ field }) => field)).toEqual(fields);
  });
});
