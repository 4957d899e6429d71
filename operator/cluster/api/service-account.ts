/** Where the kubelet mounts token and CA of the Pod's ServiceAccount. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Variables of a process, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;
