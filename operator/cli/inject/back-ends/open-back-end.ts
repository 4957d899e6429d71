import { refuse, accept, type Outcome } from '../../../errors/outcome';
import type { ReadInput } from '../../arguments/input-file';
import { readSecret } from '../../arguments/input-file';
import type { ApiCaller } from '../../calls/api-caller';
import { fileText, type ConnectionOptions } from '../../calls/connection';
import { openCluster, type ClusterOptions } from '../../calls/cluster';
import type { InjectionBackEnd } from './back-end';
import { openGrpcBackEnd } from './grpc';
import { ipamApiBackEnd } from './ipam-api';
import { kubernetesBackEnd } from './kubernetes';

/** Options of all back ends; each one reads its own. */
export interface BackEndOptions extends ClusterOptions {
  readonly secretFile?: string;
  readonly grpcServer?: string;
  readonly plaintext: boolean;
}

/** Parts of the command line that back ends are opened with. */
export interface BackEndParts {
  readonly env: NodeJS.ProcessEnv;
  readonly input: ReadInput;
  /** Longest wait for one answer, in milliseconds. */
  readonly waitMs: number;
  /** Opens version 3 of the IPAM-API that the options of the program name. */
  readonly connect: () => Outcome<ApiCaller>;
  /** Files of a login, of the options of the program. */
  readonly login: Pick<ConnectionOptions, 'tokenFile' | 'caFile'>;
}

type Open = (options: BackEndOptions, parts: BackEndParts) => Promise<Outcome<InjectionBackEnd>>;

/** Every back end, by the word that chooses it. */
const BACK_ENDS = {
  kubernetes: async (options, { env, waitMs }) =>
    accept(kubernetesBackEnd({ client: await openCluster(options, env), waitMs })),
  grpc: async ({ grpcServer, plaintext }, { login, waitMs }) => {
    if (grpcServer === undefined) return refuse('settings/invalid', '--grpc-server is missing');
    if (plaintext && (login.tokenFile ?? login.caFile) !== undefined) {
      return refuse('settings/invalid', '--plaintext sends everything in clear; leave out --token-file and --ca-file');
    }
    const [token, ca] = [fileText(login.tokenFile, '--token-file'), fileText(login.caFile, '--ca-file')];
    if (!token.ok) return token;
    if (!ca.ok) return ca;
    const given = {
      ...(token.value === undefined ? {} : { token: token.value.trim() }),
      ...(ca.value === undefined ? {} : { ca: ca.value }),
    };
    return accept(await openGrpcBackEnd({ server: grpcServer, isPlaintext: plaintext, waitMs, ...given }));
  },
  'ipam-api': async ({ secretFile }, { connect, input }) => {
    if (secretFile === undefined)
      return refuse('settings/invalid', '--secret-file is missing, which owns the addresses');
    const [api, secret] = [connect(), await readSecret(secretFile, input)];
    if (!api.ok) return api;
    return secret.ok ? accept(ipamApiBackEnd({ api: api.value, secret: secret.value })) : secret;
  },
} as const satisfies Readonly<Record<string, Open>>;

/** Word that chooses a back end. */
export type BackEndName = keyof typeof BACK_ENDS;

/** Every word that chooses a back end. */
export const BACK_END_NAMES = Object.keys(BACK_ENDS) as readonly BackEndName[];

/**
 * Opens a back end.
 *
 * @param name - which one
 * @param options - of the command
 * @param parts - of the command line
 * @returns the back end; or `settings/invalid` for what it lacks
 */
export function openBackEnd(
  name: BackEndName,
  options: BackEndOptions,
  parts: BackEndParts,
): Promise<Outcome<InjectionBackEnd>> {
  return BACK_ENDS[name](options, parts);
}
