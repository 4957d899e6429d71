import { readFileSync } from 'node:fs';

import { k8s } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';

import { DEFAULT_SECRET, SECRET_KEY } from '../../operator/contract/group';
import { refuse, type Outcome, type Refusal } from '../../operator/errors/outcome';
import { checkSecret } from '../../operator/rules/secrets';
import { isLate } from '../props-kit/values';
import type { GeneratedSecretProps, IpamExposureProps } from './ipam-service-props';

/**
 * Names the Secret that is made beside a Service.
 *
 * @param of - the wish that says whether one is made
 * @param serviceName - what the default is made of
 * @returns the name; undefined where no Secret is made
 */
export function generatedSecretName(of: IpamExposureProps, serviceName: string): string | undefined {
  return of.generatedSecret === undefined ? undefined : (of.generatedSecret.name ?? `${serviceName}-ipam`);
}

function readValue({ value, file }: GeneratedSecretProps): Outcome<string> {
  const field = file === undefined ? 'generatedSecret.value' : 'generatedSecret.file';
  if ((value === undefined) === (file === undefined)) {
    const both = value === undefined ? 'neither value nor file is given' : 'value and file are both given';
    return refuse('secret/missing', `generatedSecret: ${both}; give one of them`, { field: 'generatedSecret' });
  }
  if (file === undefined) return checkedSecret(value ?? '', field);
  try {
    return checkedSecret(readFileSync(file, 'utf8').replace(/\r?\n$/u, ''), field);
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? 'unknown failure';
    return refuse('secret/missing', `${field}: "${file}" cannot be read (${code})`, { field, value: file });
  }
}

function checkedSecret(secret: string, field: string): Outcome<string> {
  const checked = checkSecret(secret, field);
  if (checked.ok) return checked;
  return { ok: false, refusal: { ...checked.refusal, message: `${field}: ${checked.refusal.message}` } };
}

/**
 * Checks the Secret that is to be made. The secret itself is in no message.
 *
 * @param props - of the Service
 * @returns every problem at once
 */
export function generatedSecretProblems(props: IpamExposureProps): readonly Refusal[] {
  const { generatedSecret, secret } = props;
  if (generatedSecret === undefined) return [];
  const read = readValue(generatedSecret);
  const reserved = generatedSecret.name === DEFAULT_SECRET;
  return [
    ...(secret === undefined ? [] : [twice(secret)]),
    ...(reserved ? [reservedName()] : []),
    ...(read.ok ? [] : [read.refusal]),
  ];
}

const twice = (secret: string): Refusal => ({
  code: 'wish/contradiction',
  field: 'secret',
  value: secret,
  message: `secret: "${secret}" is named and generatedSecret makes another one; give one of them`,
});

const reservedName = (): Refusal => ({
  code: 'secret/invalid',
  field: 'generatedSecret.name',
  value: DEFAULT_SECRET,
  message: `generatedSecret.name: "${DEFAULT_SECRET}" stands for the cluster's own secret; give the Secret another name`,
});

/** Where a generated Secret stands. */
export interface GeneratedSecretPlace {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Declares the Secret that is made beside a Service.
 *
 * @param scope - the Service
 * @param props - name and value
 * @param place - metadata of the Secret
 * @returns the object; undefined while its value is refused, so that nothing wrong is ever written
 */
export function declareSecret(
  scope: Construct,
  props: GeneratedSecretProps,
  place: GeneratedSecretPlace,
): k8s.KubeSecret | undefined {
  const read = readValue(props);
  if (!read.ok) return undefined;
  return new k8s.KubeSecret(scope, 'Secret', {
    metadata: { ...place },
    type: 'Opaque',
    // base64, so that no YAML reader takes a secret of digits for a number; values that are known after synth only cannot be encoded
    ...(isLate(read.value)
      ? { stringData: { [SECRET_KEY]: read.value } }
      : { data: { [SECRET_KEY]: Buffer.from(read.value, 'utf8').toString('base64') } }),
  });
}
