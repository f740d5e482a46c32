<?php

/** Sends tokens to `paytoken decrypt --batch --envelopes`, which keeps running. */
final class Paytoken
{
    private $process = null;
    private array $pipes = [];
    private int $count = 0;

    public function __construct(private array $options, private int $seconds = 10)
    {
    }

    /** Returns the answer; throws a RuntimeException if the process ends or is late. */
    public function decrypt(string $token, array $order): array
    {
        $this->process ??= proc_open(
            ['paytoken', 'decrypt', '--batch', '--envelopes', ...$this->options],
            [['pipe', 'r'], ['pipe', 'w']],
            $this->pipes
        ) ?: throw new RuntimeException('paytoken does not start');
        $id = getmypid() . '-' . ++$this->count;
        $line = json_encode(compact('id', 'token', 'order'), JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
        [$answers, $none, $answer] = [[$this->pipes[1]], null, null];
        if (@fwrite($this->pipes[0], "$line\n") && stream_select($answers, $none, $none, $this->seconds)) {
            $answer = json_decode((string) fgets($this->pipes[1]), true);
        }
        if (($answer['id'] ?? null) !== $id) {
            array_map('fclose', $this->pipes); // an answer that comes now is not written, and its claim is released
            proc_terminate($this->process);
            $this->process = null;
            throw new RuntimeException('paytoken ended, or its answer is late');
        }
        return $answer;
    }

    /** Ends the process; the next token starts another one, which loads the keys again. */
    public function restart(): void
    {
        if ($this->process !== null) {
            array_map('fclose', $this->pipes);
            proc_close($this->process);
            $this->process = null;
        }
    }
}
