/** How clients reach the gRPC API of networks. It is served over TLS, at port 9999 of the Service `ipam-networks-grpc`. */
export interface NetworksGrpcProps {
  /**
   * Secret of type kubernetes.io/tls with a certificate of your own, in the operator's namespace; no certificate is asked
   * for then.
   *
   * @default - cert-manager fills in `ipam-networks-grpc-server-cert`, by the CA of the operator
   */
  readonly certificateSecret?: string;
  /**
   * Audience for which the tokens of clients must be issued.
   *
   * @default 'ipam.vitistack.io'
   */
  readonly audience?: string;
  /**
   * Answers calls without a token: every client that reaches the port can take and release prefixes of every namespace.
   *
   * @default false
   */
  readonly allowAnonymous?: boolean;
}
